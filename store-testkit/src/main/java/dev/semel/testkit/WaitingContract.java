package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.Outcome;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A duplicate of a call in progress returns at once, or waits for the outcome up to its own limit. */
public interface WaitingContract extends StoreFixture {

    /** Starts a call that waits for a signal, and runs {@code meanwhile} until then. */
    private void whileTheFirstRuns(Once once, Mode mode, Call call, Meanwhile meanwhile) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch sign = new CountDownLatch(1);
        try {
            Future<Outcome> first = threads.submit(() -> run(once, mode, call, () -> {
                running.countDown();
                sign.await();
                return Response.of("first");
            }));
            running.await();
            meanwhile.happens(threads, sign);
            assertThat(first.get()).isInstanceOf(Outcome.Executed.class);
        } finally {
            threads.shutdownNow();
        }
    }

    /** What a test does while the first call runs. */
    interface Meanwhile {

        /**
         * Sends duplicates.
         *
         * @param sign counted down to let the first call complete
         */
        void happens(ExecutorService threads, CountDownLatch sign) throws Exception;
    }

    @ParameterizedTest
    @EnumSource
    default void duplicateThatDoesNotWait_isInProgressAtOnce(Mode mode) throws Exception {
        Once once = newOnce();
        Call call = call("k");
        whileTheFirstRuns(once, mode, call, (threads, sign) -> {
            assertThat(run(once, mode, call, () -> Response.of("must not run")))
                    .isEqualTo(new Outcome.InProgress(Duration.ofSeconds(1)));
            sign.countDown();
        });
    }

    @ParameterizedTest
    @EnumSource
    default void duplicatesThatWait_getTheFirstResponse(Mode mode) throws Exception {
        Once once = newOnce();
        Call call = call("k").waiting(Duration.ofSeconds(5));
        whileTheFirstRuns(once, mode, call, (threads, sign) -> {
            List<Future<Outcome>> waiting = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                waiting.add(threads.submit(() -> run(once, mode, call, () -> Response.of("must not run"))));
            }
            time().awaitScheduled(50);
            sign.countDown();
            for (Future<Outcome> outcome : waiting) {
                assertThat(outcome.get()).isInstanceOf(Outcome.Replayed.class);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    default void duplicateThatHasWaitedAsLongAsItAsked_isInProgress(Mode mode) throws Exception {
        Once once = newOnce();
        Call call = call("k").waiting(Duration.ofSeconds(5));
        whileTheFirstRuns(once, mode, call, (threads, sign) -> {
            int others = mode == Mode.LEASED ? 1 : 0; // the lease renewal
            Future<Outcome> waiting = threads.submit(() -> run(once, mode, call, () -> Response.of("must not run")));
            time().awaitScheduled(1 + others);
            time().advance(Duration.ofMillis(4_999));
            assertThat(waiting.isDone()).isFalse();
            time().advance(Duration.ofMillis(1));
            assertThat(waiting.get()).isInstanceOf(Outcome.InProgress.class);
            sign.countDown();
        });
    }

    @Test
    default void duplicateOnAnotherServer_waitsForTheRecord() {
        Call call = call("k");
        Once there = newOnce();
        // Each pause of the other server advances the clock. After some of them the owner completes.
        time().after(Duration.ofSeconds(3), () -> completeElsewhere(call));
        claimAndCrash(call, IfAbandoned.RERUN);
        Outcome outcome =
                run(there, Mode.LEASED, call.waiting(Duration.ofSeconds(10)), () -> Response.of("must not run"));
        assertThat(((Outcome.Replayed) outcome).response()).isEqualTo(Response.of("elsewhere"));
    }

    private void completeElsewhere(Call call) {
        var record = Objects.requireNonNull(stored(call));
        store().compareAndSet(
                        "elsewhere",
                        idempotencyWrite(
                                call,
                                Precondition.ownedBy(record.fencingToken()),
                                record.fencingToken(),
                                Status.COMPLETED,
                                IfAbandoned.RERUN,
                                Response.of("elsewhere")));
    }

    @Test
    default void duplicateOnAnotherServer_givesUpAfterItsMaxWait() {
        Call call = call("k");
        claimAndCrash(call, IfAbandoned.RERUN);
        var before = time().instant();
        assertThat(run(newOnce(), Mode.LEASED, call.waiting(Duration.ofMillis(2_550)), () -> Response.of("no")))
                .isInstanceOf(Outcome.InProgress.class);
        assertThat(Duration.between(before, time().instant())).isEqualTo(Duration.ofMillis(2_550));
    }

    @ParameterizedTest
    @EnumSource
    default void duplicateThatWaitsForAFailingRun_runsItself(Mode mode) throws Exception {
        Once once = newOnce();
        Call call = call("k").waiting(Duration.ofSeconds(5));
        ExecutorService threads = Executors.newCachedThreadPool();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch sign = new CountDownLatch(1);
        try {
            Future<Outcome> first = threads.submit(() -> run(once, mode, call, () -> {
                running.countDown();
                sign.await();
                throw new IllegalStateException("first");
            }));
            running.await();
            Future<Outcome> second = threads.submit(() -> run(once, mode, call, () -> Response.of("second")));
            time().awaitScheduled(mode == Mode.LEASED ? 2 : 1);
            sign.countDown();
            assertThat(first.get()).isInstanceOf(Outcome.Failed.class);
            assertThat(((Outcome.Executed) second.get()).attempt()).isEqualTo(2);
        } finally {
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @EnumSource
    default void waitThatIsInterrupted_endsWithInProgress(Mode mode) throws Exception {
        Once once = newOnce();
        Call call = call("k").waiting(Duration.ofSeconds(5));
        whileTheFirstRuns(once, mode, call, (threads, sign) -> {
            Thread.currentThread().interrupt();
            assertThat(run(once, mode, call, () -> Response.of("must not run"))).isInstanceOf(Outcome.InProgress.class);
            assertThat(Thread.interrupted()).isTrue();
            sign.countDown();
        });
    }
}
