package dev.semel.testkit;

import dev.semel.store.spi.OnceStore;
import java.time.Duration;

/** What the tests of races share. */
public interface RaceFixture extends StoreFixture {

    /** Returns the number of keys of a race. A slow store may return fewer. */
    default int raceKeys() {
        return TestSize.of(500, 2_000);
    }

    /** Returns a race of {@link #raceKeys} keys on a store. */
    default Race newRace(OnceStore store, Duration lease) {
        return new Race(store, lease, raceKeys());
    }
}
