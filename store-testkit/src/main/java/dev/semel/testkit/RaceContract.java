package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.Time;
import dev.semel.store.spi.OnceStore;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Many threads on several servers call thousands of keys at the same time: each key is completed once. */
public interface RaceContract extends RaceFixture {

    @Test
    default void leasedRace_runsEachKeyOnce() throws Exception {
        try (OnceStore store = openAnother(Time.system())) {
            Race race = newRace(store, SETTINGS.lease());
            Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
            Race.Tally tally = race.run(key -> race.server().leased(Race.call(key), IfAbandoned.RERUN, lease -> {
                runs.computeIfAbsent(key, any -> new AtomicInteger()).incrementAndGet();
                return Response.of(Long.toString(lease.fencingToken()));
            }));
            assertThat(runs.values()).hasSize(raceKeys()).allMatch(count -> count.get() == 1);
            assertThat(tally.executions().values()).hasSize(raceKeys()).allMatch(count -> count.get() == 1);
        }
    }

    /** Under {@code RERUN} an operation runs again if its completion is lost, but only one completion is recorded. */
    @Test
    default void leasedRace_onAStoreThatFails_recordsOneCompletionForEachKey() throws Exception {
        try (OnceStore store = openAnother(Time.system())) {
            FaultyStore faulty = new FaultyStore(store);
            faulty.failAtRandom(2, 0.05);
            Race race = newRace(faulty, Duration.ofMillis(300));
            Map<String, Long> fencingTokens = new ConcurrentHashMap<>();
            Race.Tally tally = race.run(key -> race.server().leased(Race.call(key), IfAbandoned.RERUN, lease -> {
                fencingTokens.merge(key, lease.fencingToken(), Math::max);
                return Response.of(Long.toString(lease.fencingToken()));
            }));
            assertThat(tally.executions().values()).allMatch(count -> count.get() <= 1);
            tally.responses()
                    .forEach((key, fencingToken) ->
                            assertThat(Long.valueOf(fencingToken)).isEqualTo(fencingTokens.get(key)));
        }
    }
}
