package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.OnceStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Sweeps that run concurrently with calls delete no live record and undo no completion. */
public interface SweepRaceContract extends AdminFixture {

    int KEYS = TestSize.of(20, 40);
    int ROUNDS = TestSize.of(3, 6);

    private Mode modeOf(int i) {
        return modes().get(i % modes().size());
    }

    @Test
    default void sweepsDuringRetries_deleteNothingLive_andResurrectNothing() throws Exception {
        sweepBesideRetries("stripped", SETTINGS);
    }

    @Test
    default void sweepsDuringRetries_deleteNothingLive_withoutTombstones() throws Exception {
        sweepBesideRetries("forgotten", SETTINGS.withTombstone(Duration.ZERO));
    }

    /** Repeats: all keys expire, and each is called again during a sweep. */
    private void sweepBesideRetries(String prefix, OnceSettings settings) throws Exception {
        for (int i = 0; i < KEYS; i++) {
            run(newOnce(store(), settings, OnceListener.NONE), modeOf(i), call(prefix + i), () -> Response.of("0"));
        }
        for (int round = 1; round <= ROUNDS; round++) {
            run(Mode.LEASED, call(prefix + "-left-" + round), "there is no further request");
            time().advance(SETTINGS.retention());
            assertThat(retryBesideSweeps(prefix, settings, String.valueOf(round)))
                    .isPositive();
        }
    }

    /** The owners of all keys crashed so long ago that the keys may be deleted. */
    @Test
    default void sweepsDuringTakeovers_deleteNothingLive() throws Exception {
        for (int round = 1; round <= ROUNDS; round++) {
            claimAndCrash(call("left-" + round), IfAbandoned.RERUN);
            for (int i = 0; i < KEYS; i++) {
                claimAndCrash(call("abandoned" + round + "-" + i), IfAbandoned.RERUN);
            }
            time().advance(SETTINGS.lease().plus(SETTINGS.retention()).plus(SETTINGS.tombstone()));
            assertThat(retryBesideSweeps("abandoned" + round + "-", SETTINGS, String.valueOf(round)))
                    .isPositive();
        }
    }

    private long retryBesideSweeps(String prefix, OnceSettings settings, String response) throws Exception {
        AtomicInteger[] runs = new AtomicInteger[KEYS];
        for (int i = 0; i < KEYS; i++) {
            runs[i] = new AtomicInteger();
        }
        Callable<Void> retryAll = () -> {
            for (int i = 0; i < KEYS; i++) {
                AtomicInteger runsOfKey = runs[i];
                run(newOnce(store(), settings, OnceListener.NONE), modeOf(i), call(prefix + i), () -> {
                    runsOfKey.incrementAndGet();
                    return Response.of(response);
                });
            }
            return null;
        };
        long deleted = whileSweeping(List.of(retryAll, retryAll, retryAll));
        for (int i = 0; i < KEYS; i++) {
            IdempotencyRecord record = Objects.requireNonNull(stored(call(prefix + i)));
            assertThat(Objects.requireNonNull(record.response()).text()).isEqualTo(response);
            if (modeOf(i) == Mode.LEASED) { // an atomic operation may run twice: one of the two is rolled back
                assertThat(runs[i]).hasValue(1);
            }
        }
        return deleted;
    }

    /**
     * Owners that were cut off until their leases expired reconnect while a sweep freezes their keys. An operation that was reported as
     * executed is completed.
     */
    @Test
    default void sweepsDuringLateCompletions_freezeOnlyIncompleteOperations() throws Exception {
        Map<Call, Outcome> outcomes = new ConcurrentHashMap<>();
        CountDownLatch started = new CountDownLatch(KEYS);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Once once = newOnce(new WithoutHeartbeats(store()), SETTINGS, OnceListener.NONE);
        ExecutorService owners = Executors.newFixedThreadPool(KEYS);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                Call call = call("late-" + i);
                all.add(owners.submit(() -> outcomes.put(call, once.leased(call, IfAbandoned.FREEZE, lease -> {
                    started.countDown();
                    mayEnd.await();
                    return Response.of("done");
                }))));
            }
            assertThat(started.await(60, TimeUnit.SECONDS)).isTrue();
            time().advance(SETTINGS.lease());
            whileSweeping(List.of(() -> {
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
        assertThat(outcomes).hasSize(KEYS);
        outcomes.forEach((call, outcome) -> {
            Status status = Objects.requireNonNull(stored(call)).status();
            assertThat(outcome)
                    .isInstanceOf(status == Status.COMPLETED ? Outcome.Executed.class : Outcome.Unknown.class);
            assertThat(status).isIn(Status.COMPLETED, Status.UNKNOWN);
        });
    }

    /** A store whose leases cannot be renewed. */
    final class WithoutHeartbeats extends ForwardingStore {

        WithoutHeartbeats(OnceStore store) {
            super(store);
        }

        @Override
        public CommitResult commit(Commit commit) {
            IdempotencyRecord record = commit.idempotencyWrite() == null
                    ? null
                    : commit.idempotencyWrite().record();
            if (record != null && record.status() == Status.PROCESSING && record.fencingToken() != 0) {
                throw StoreException.unavailable("cut off", null);
            }
            return super.commit(commit);
        }
    }
}
