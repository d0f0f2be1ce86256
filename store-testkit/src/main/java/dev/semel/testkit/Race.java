package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.once.Call;
import dev.semel.once.Lease;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.Outcome;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.spi.OnceStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Many threads that call the same keys on several servers at the same time. */
public final class Race {

    private static final int THREADS = 64;

    /** A server merges its own concurrent calls. With many servers, most conflicts reach the store. */
    private static final int SERVERS = 16;

    private final List<Once> servers = new ArrayList<>();
    private final int keys;

    Race(OnceStore store, Duration lease, int keys) {
        this.keys = keys;
        for (int i = 0; i < SERVERS; i++) {
            servers.add(new Once(store, Time.system(), StoreFixture.SETTINGS.withLease(lease), OnceListener.NONE));
        }
    }

    /**
     * The result of a race.
     *
     * @param responses response of each key
     * @param executions number of executions of each key
     */
    record Tally(Map<String, String> responses, Map<String, AtomicInteger> executions) {

        Tally() {
            this(new ConcurrentHashMap<>(), new ConcurrentHashMap<>());
        }

        private void count(String key, Outcome outcome) {
            if (outcome instanceof Outcome.Executed) {
                executions.computeIfAbsent(key, any -> new AtomicInteger()).incrementAndGet();
            }
            String response = outcome.orElseThrow().text();
            String other = responses.putIfAbsent(key, response);
            assertThat(other == null ? response : other).isEqualTo(response);
        }
    }

    static Call call(String key) {
        return StoreFixture.call(key, "\"" + key + "\"").waiting(Duration.ofSeconds(30));
    }

    /** Returns the server that the current thread calls. */
    Once server() {
        return servers.get((int) (Thread.currentThread().getId() % servers.size()));
    }

    /** Calls every key from every thread, each until it gets a response. */
    Tally run(Function<String, Outcome> caller) throws Exception {
        Tally tally = new Tally();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> racers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                List<String> order = new ArrayList<>();
                for (int j = 0; j < keys; j++) {
                    order.add("k" + j);
                }
                // half of the threads use the same order, so that they conflict; the others use random orders
                Collections.shuffle(order, new Random(i % 2 == 0 ? 0 : i));
                racers.add(threads.submit(() -> order.forEach(key -> tally.count(key, callUntilDone(key, caller)))));
            }
            for (Future<?> racer : racers) {
                racer.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(tally.responses).hasSize(keys);
        return tally;
    }

    /** More failures in a row than random faults cause. */
    private static final int MOST_FAILURES = 200;

    private static Outcome callUntilDone(String key, Function<String, Outcome> caller) {
        for (int failures = 0; ; ) {
            try {
                Outcome outcome = caller.apply(key);
                boolean lost =
                        outcome instanceof Outcome.Failed failed && failed.cause() instanceof Lease.LostException;
                if (!lost && !(outcome instanceof Outcome.InProgress)) {
                    return outcome;
                }
            } catch (StoreException e) {
                // the caller retries with the same key
                if (++failures == MOST_FAILURES) {
                    throw new AssertionError("The store failed " + failures + " times in a row for the key " + key, e);
                }
            }
        }
    }
}
