package dev.semel.testkit;

import dev.semel.store.spi.OnceStore;
import java.time.Duration;

/** What the races have in common. */
public interface RaceFixture extends StoreFixture {

    /** How many keys they race for; a slow store may ask for fewer. */
    default int raceKeys() {
        return TestSize.of(500, 2_000);
    }

    /** A race on a store. */
    default Race newRace(OnceStore store, Duration lease) {
        return new Race(store, lease, raceKeys());
    }
}
