package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.id.IdSchemes;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.key.KeyTemplate;
import dev.semel.once.Call;
import dev.semel.once.LeaseLostException;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.Outcome;
import dev.semel.record.Page;
import dev.semel.record.Records;
import dev.semel.store.Capability;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.Store;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The crude race: many threads on several servers, thousands of keys, all of them at once, and one effect each. */
public interface RaceContract extends StoreFixture {

    /** How many threads race. */
    int THREADS = 64;

    /** On how many servers: what one server knows of its own calls must not hide what the store lets through. */
    int SERVERS = 16;

    /** What the operations leave behind: one record for each time that they took effect. */
    Records EFFECTS = Records.of("effects", KeyTemplate.of("{id:tid62}"));

    /** How many keys they race for; a slow store may ask for fewer. */
    default int raceKeys() {
        return 2_000;
    }

    /** What a race came to: the answers and the number of executions, for each key. */
    final class Tally {
        private final Map<String, String> answers = new ConcurrentHashMap<>();
        private final Map<String, AtomicInteger> executions = new ConcurrentHashMap<>();

        private void count(String key, Outcome outcome) {
            String answer;
            if (outcome instanceof Outcome.Executed executed) {
                executions.computeIfAbsent(key, any -> new AtomicInteger()).incrementAndGet();
                answer = executed.response().text();
            } else if (outcome instanceof Outcome.Replayed replayed) {
                answer = replayed.response().text();
            } else {
                throw new AssertionError("unexpected " + outcome);
            }
            String other = answers.putIfAbsent(key, answer);
            assertThat(other == null ? answer : other).isEqualTo(answer);
        }
    }

    /** Every thread calls for every key, in an order of its own, and again as long as it is not answered. */
    private Tally race(Function<String, Outcome> caller) throws Exception {
        Tally tally = new Tally();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> racers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                List<String> keys = new ArrayList<>();
                for (int j = 0; j < raceKeys(); j++) {
                    keys.add("k" + j);
                }
                // half of the threads run together, so that they meet; the others go their own ways
                Collections.shuffle(keys, new Random(i % 2 == 0 ? 0 : i));
                racers.add(threads.submit(() -> keys.forEach(key -> tally.count(key, untilAnswered(key, caller)))));
            }
            for (Future<?> racer : racers) {
                racer.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(tally.answers).hasSize(raceKeys());
        return tally;
    }

    private static Outcome untilAnswered(String key, Function<String, Outcome> caller) {
        while (true) {
            try {
                Outcome outcome = caller.apply(key);
                boolean lost = outcome instanceof Outcome.Failed failed && failed.cause() instanceof LeaseLostException;
                if (!lost && !(outcome instanceof Outcome.InProgress)) {
                    return outcome;
                }
            } catch (StoreException e) {
                // the caller asks again with the same key
            }
        }
    }

    private static List<Once> servers(Store store, Duration lease) {
        List<Once> servers = new ArrayList<>();
        for (int i = 0; i < SERVERS; i++) {
            servers.add(new Once(store, Time.system(), SETTINGS.withLease(lease), OnceListener.NONE));
        }
        return servers;
    }

    private static Call raceCall(String key) {
        return StoreFixture.call(key, "\"" + key + "\"").waiting(Duration.ofSeconds(30));
    }

    private static Once server(List<Once> servers) {
        return servers.get((int) (Thread.currentThread().getId() % servers.size()));
    }

    /** Each execution leaves a record, whose id is its answer. */
    private static Outcome leaveRecord(Once once, String key) {
        return once.atomic(raceCall(key), tx -> {
            var effect = EFFECTS.createMinted(tx, IdSchemes.TID62::mint, Json.of("\"" + key + "\""));
            return Response.of(effect.key());
        });
    }

    private static void assertOneEffectEach(Store store, Tally tally) {
        Map<String, String> effects = new HashMap<>();
        @Nullable String next = null;
        do {
            Page page = EFFECTS.scan(store, KeyRange.ofPrefix(""), next, 1000);
            page.items().forEach(effect -> {
                String key = effect.data().text().replace("\"", "");
                assertThat(effects.put(key, effect.key()))
                        .as("effects of " + key)
                        .isNull();
            });
            next = page.next().orElse(null);
        } while (next != null);
        assertThat(effects).isEqualTo(tally.answers);
    }

    @Test
    default void atomicRace_hasOneEffectForEachKey() throws Exception {
        needs(Capability.COMMIT, Capability.SCAN);
        try (Store store = openAnother(Time.system())) {
            List<Once> servers = servers(store, SETTINGS.lease());
            Tally tally = race(key -> leaveRecord(server(servers), key));
            assertOneEffectEach(store, tally);
            assertThat(tally.executions.values()).hasSize(raceKeys()).allMatch(count -> count.get() == 1);
        }
    }

    @Test
    default void atomicRace_onAStoreThatFails_hasOneEffectForEachKey() throws Exception {
        needs(Capability.COMMIT, Capability.SCAN);
        try (Store store = openAnother(Time.system())) {
            FaultyStore faulty = new FaultyStore(store);
            faulty.failAtRandom(1, 0.05);
            List<Once> servers = servers(faulty, SETTINGS.lease());
            Tally tally = race(key -> leaveRecord(server(servers), key));
            assertOneEffectEach(store, tally);
            assertThat(tally.executions.values()).allMatch(count -> count.get() == 1);
        }
    }

    @Test
    default void leasedRace_runsEachKeyOnce() throws Exception {
        try (Store store = openAnother(Time.system())) {
            List<Once> servers = servers(store, SETTINGS.lease());
            Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
            Tally tally = race(key -> server(servers).leased(raceCall(key), IfAbandoned.RERUN, lease -> {
                runs.computeIfAbsent(key, any -> new AtomicInteger()).incrementAndGet();
                return Response.of(Long.toString(lease.fence()));
            }));
            assertThat(runs.values()).hasSize(raceKeys()).allMatch(count -> count.get() == 1);
            assertThat(tally.executions.values()).hasSize(raceKeys()).allMatch(count -> count.get() == 1);
        }
    }

    /** A run whose completion stays lost is run again, which is what {@code RERUN} means; but one completion alone is recorded. */
    @Test
    default void leasedRace_onAStoreThatFails_recordsOneCompletionForEachKey() throws Exception {
        try (Store store = openAnother(Time.system())) {
            FaultyStore faulty = new FaultyStore(store);
            faulty.failAtRandom(2, 0.05);
            List<Once> servers = servers(faulty, Duration.ofMillis(300));
            Map<String, Long> fences = new ConcurrentHashMap<>();
            Tally tally = race(key -> server(servers).leased(raceCall(key), IfAbandoned.RERUN, lease -> {
                fences.merge(key, lease.fence(), Math::max);
                return Response.of(Long.toString(lease.fence()));
            }));
            assertThat(tally.executions.values()).allMatch(count -> count.get() <= 1);
            tally.answers.forEach(
                    (key, fence) -> assertThat(Long.valueOf(fence)).isEqualTo(fences.get(key)));
        }
    }
}
