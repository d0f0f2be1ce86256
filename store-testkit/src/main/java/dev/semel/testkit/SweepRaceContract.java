package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.record.Records;
import dev.semel.record.WriteResult;
import dev.semel.store.Capability;
import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.IfAbandoned;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.Response;
import dev.semel.store.Store;
import dev.semel.store.StoreException;
import dev.semel.store.SweepStep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Sweeps beside those who use what is being swept: nothing that lives is removed, and nothing that is done comes back. */
public interface SweepRaceContract extends StoreFixture {

    /** Documents with an end, which are found by another key, too. */
    Records ENDING = Records.of("ending", KeyTemplate.of("{id:hex}-{name:hex}"), KeyTemplate.of("{name:hex}-{id:hex}"));

    int KEYS = 40;
    int ROUNDS = 6;

    private Mode modeOf(int i) {
        return modes().get(i % modes().size());
    }

    /**
     * Does some work while two sweep, all from the same moment on.
     *
     * @return how much was let go
     */
    private long besideSweeps(List<? extends Callable<?>> work) throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        CyclicBarrier together = new CyclicBarrier(work.size() + 2);
        ExecutorService threads = Executors.newFixedThreadPool(work.size() + 2);
        try {
            List<Future<Long>> sweeps = new ArrayList<>();
            for (int sweeper = 0; sweeper < 2; sweeper++) {
                sweeps.add(threads.submit(() -> {
                    together.await();
                    return sweepUntil(done);
                }));
            }
            List<Future<?>> all = new ArrayList<>();
            for (Callable<?> each : work) {
                all.add(threads.submit(() -> {
                    together.await();
                    return each.call();
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
            done.set(true);
            return sweeps.get(0).get() + sweeps.get(1).get();
        } finally {
            done.set(true);
            threads.shutdownNow();
        }
    }

    /** Goes through everything once at least. */
    private long sweepUntil(AtomicBoolean done) {
        long gone = 0;
        String from = "";
        do {
            SweepStep step = store().housekeeping().sweep(from);
            gone += step.deleted().values().stream().mapToLong(Long::longValue).sum();
            from = step.next().orElse("");
        } while (!done.get() || !from.isEmpty());
        return gone;
    }

    @Test
    default void sweepsBesideRetries_removeNothingLive_andResurrectNothing() throws Exception {
        needs(Capability.HOUSEKEEPING);
        sweepBesideRetries("stripped", SETTINGS);
    }

    @Test
    default void sweepsBesideRetries_removeNothingLive_whereNothingIsLeftOfAKey() throws Exception {
        needs(Capability.HOUSEKEEPING);
        sweepBesideRetries("forgotten", SETTINGS.withTombstone(Duration.ZERO));
    }

    /** All keys are past their time, and each runs once more; and so again. */
    private void sweepBesideRetries(String prefix, OnceSettings settings) throws Exception {
        for (int i = 0; i < KEYS; i++) {
            run(newOnce(store(), settings, OnceListener.NONE), modeOf(i), call(prefix + i), () -> Response.of("0"));
        }
        for (int round = 1; round <= ROUNDS; round++) {
            run(Mode.LEASED, call(prefix + "-left-" + round), "nobody asks again");
            time().advance(SETTINGS.retention());
            assertThat(retryBesideSweeps(prefix, settings, String.valueOf(round)))
                    .isPositive();
        }
    }

    /** The owners of all have vanished, so long ago that their keys may go. */
    @Test
    default void sweepsBesideTakeovers_removeNothingLive() throws Exception {
        needs(Capability.HOUSEKEEPING);
        for (int round = 1; round <= ROUNDS; round++) {
            claimAndVanish(call("left-" + round), IfAbandoned.RERUN);
            for (int i = 0; i < KEYS; i++) {
                claimAndVanish(call("abandoned" + round + "-" + i), IfAbandoned.RERUN);
            }
            time().advance(SETTINGS.lease().plus(SETTINGS.retention()).plus(SETTINGS.tombstone()));
            assertThat(retryBesideSweeps("abandoned" + round + "-", SETTINGS, String.valueOf(round)))
                    .isPositive();
        }
    }

    private long retryBesideSweeps(String prefix, OnceSettings settings, String answer) throws Exception {
        AtomicInteger[] runs = new AtomicInteger[KEYS];
        for (int i = 0; i < KEYS; i++) {
            runs[i] = new AtomicInteger();
        }
        Callable<Void> retryAll = () -> {
            for (int i = 0; i < KEYS; i++) {
                AtomicInteger runsOfKey = runs[i];
                run(newOnce(store(), settings, OnceListener.NONE), modeOf(i), call(prefix + i), () -> {
                    runsOfKey.incrementAndGet();
                    return Response.of(answer);
                });
            }
            return null;
        };
        long gone = besideSweeps(List.of(retryAll, retryAll, retryAll));
        for (int i = 0; i < KEYS; i++) {
            OnceRecord record = Objects.requireNonNull(stored(call(prefix + i)));
            assertThat(Objects.requireNonNull(record.response()).text()).isEqualTo(answer);
            if (modeOf(i) == Mode.LEASED) { // an atomic one may run twice, and be undone
                assertThat(runs[i]).hasValue(1);
            }
        }
        return gone;
    }

    /** Owners who were cut off for as long as their leases come back while those are frozen: who was told that it is done, it is. */
    @Test
    default void sweepsBesideOwnersWhoAreLate_freezeWhatIsNotDone_andNothingElse() throws Exception {
        needs(Capability.HOUSEKEEPING);
        Map<Call, Outcome> told = new ConcurrentHashMap<>();
        CountDownLatch begun = new CountDownLatch(KEYS);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Once once = newOnce(new WithoutHeartbeats(store()), SETTINGS, OnceListener.NONE);
        ExecutorService owners = Executors.newFixedThreadPool(KEYS);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                Call call = call("late-" + i);
                all.add(owners.submit(() -> told.put(call, once.leased(call, IfAbandoned.FREEZE, lease -> {
                    begun.countDown();
                    mayEnd.await();
                    return Response.of("done");
                }))));
            }
            assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
            time().advance(SETTINGS.lease());
            besideSweeps(List.of(() -> {
                mayEnd.countDown();
                for (Future<?> owner : all) {
                    owner.get();
                }
                return null;
            }));
        } finally {
            mayEnd.countDown();
            owners.shutdownNow();
        }
        assertThat(told).hasSize(KEYS);
        told.forEach((call, outcome) -> {
            OnceStatus status = Objects.requireNonNull(stored(call)).status();
            assertThat(outcome)
                    .isInstanceOf(status == OnceStatus.COMPLETED ? Outcome.Executed.class : Outcome.Unknown.class);
            assertThat(status).isIn(OnceStatus.COMPLETED, OnceStatus.UNKNOWN);
        });
    }

    /** A store through which leases cannot be kept up. */
    final class WithoutHeartbeats extends ForwardingStore {

        WithoutHeartbeats(Store store) {
            super(store);
        }

        @Override
        public CommitResult commit(Commit commit) {
            OnceRecord record = commit.once() == null ? null : commit.once().record();
            if (record != null && record.status() == OnceStatus.PROCESSING && record.fence() != 0) {
                throw StoreException.unavailable("cut off", null);
            }
            return store.commit(commit);
        }
    }

    @Test
    default void sweepsBesideDocumentsThatAreMadeAnew_removeNothingLive() throws Exception {
        needs(Capability.HOUSEKEEPING, Capability.COMMIT, Capability.SCAN);
        for (int round = 1; round <= ROUNDS; round++) {
            Json data = Json.of(String.valueOf(round));
            String left = "1-" + Integer.toHexString(round);
            transactions().run(tx -> ENDING.create(tx, left, data, Duration.ofMinutes(1)));
            time().advance(Duration.ofMinutes(1)); // all that were made before are past their time
            assertThat(besideSweeps(List.of(() -> makeAll(data), () -> makeAll(data))))
                    .isPositive();
            for (int i = 0; i < KEYS; i++) {
                assertThat(ENDING.read(store(), key(i)).orElseThrow().data()).isEqualTo(data);
                assertThat(ENDING.find(store(), Map.of("name", Integer.toHexString(i)), null, 10)
                                .items())
                        .hasSize(1);
            }
        }
    }

    private static String key(int i) {
        return "0-" + Integer.toHexString(i);
    }

    private int makeAll(Json data) {
        int made = 0;
        for (int i = 0; i < KEYS; i++) {
            String key = key(i);
            WriteResult result = transactions().run(tx -> ENDING.create(tx, key, data, Duration.ofMinutes(1)));
            made += result instanceof WriteResult.Written ? 1 : 0;
        }
        return made;
    }
}
