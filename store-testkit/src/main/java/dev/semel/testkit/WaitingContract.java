package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.Outcome;
import dev.semel.store.Capability;
import dev.semel.store.Commit;
import dev.semel.store.Expected;
import dev.semel.store.IfAbandoned;
import dev.semel.store.OnceStatus;
import dev.semel.store.Response;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** A duplicate is told at once that the first is under way, or waits as long as it asks. */
public interface WaitingContract extends StoreFixture {

    /** Runs a first call that waits for a sign, and duplicates meanwhile. */
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

    /** What happens while a first call runs. */
    interface Meanwhile {

        /**
         * Happens.
         *
         * @param sign counted down to let the first call end
         */
        void happens(ExecutorService threads, CountDownLatch sign) throws Exception;
    }

    @Test
    default void duplicateThatDoesNotWait_isToldAtOnce() throws Exception {
        for (Mode mode : modes()) {
            Once once = newOnce();
            Call call = call("k-" + mode);
            whileTheFirstRuns(once, mode, call, (threads, sign) -> {
                assertThat(run(once, mode, call, () -> Response.of("must not run")))
                        .isEqualTo(new Outcome.InProgress(Duration.ofSeconds(1)));
                sign.countDown();
            });
        }
    }

    @Test
    default void duplicatesThatWait_getTheFirstOnesAnswer() throws Exception {
        for (Mode mode : modes()) {
            Once once = newOnce();
            Call call = call("k-" + mode).waiting(Duration.ofSeconds(5));
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
    }

    @Test
    default void duplicateThatHasWaitedAsLongAsItAsked_isToldSo() throws Exception {
        for (Mode mode : modes()) {
            Once once = newOnce();
            Call call = call("k-" + mode).waiting(Duration.ofSeconds(5));
            whileTheFirstRuns(once, mode, call, (threads, sign) -> {
                int others = mode == Mode.LEASED ? 1 : 0; // the heartbeat
                Future<Outcome> waiting =
                        threads.submit(() -> run(once, mode, call, () -> Response.of("must not run")));
                time().awaitScheduled(1 + others);
                time().advance(Duration.ofMillis(4_999));
                assertThat(waiting.isDone()).isFalse();
                time().advance(Duration.ofMillis(1));
                assertThat(waiting.get()).isInstanceOf(Outcome.InProgress.class);
                sign.countDown();
            });
        }
    }

    @Test
    default void duplicateOnAnotherServer_waitsForTheRecord() {
        Call call = call("k");
        Once there = newOnce();
        // On this time each pause of the other server is a step forward; after some of them the owner comes to its end.
        time().after(Duration.ofSeconds(3), () -> completeElsewhere(call));
        claimAndVanish(call, IfAbandoned.RERUN);
        Outcome outcome =
                run(there, Mode.LEASED, call.waiting(Duration.ofSeconds(10)), () -> Response.of("must not run"));
        assertThat(((Outcome.Replayed) outcome).response()).isEqualTo(Response.of("elsewhere"));
    }

    private void completeElsewhere(Call call) {
        var record = Objects.requireNonNull(stored(call));
        store().commit(Commit.of(
                "elsewhere",
                onceWrite(
                        call,
                        Expected.ownedBy(record.fence()),
                        record.fence(),
                        OnceStatus.COMPLETED,
                        IfAbandoned.RERUN,
                        Response.of("elsewhere"))));
    }

    @Test
    default void duplicateOnAnotherServer_givesUpWhenItsTimeIsOver() {
        Call call = call("k");
        claimAndVanish(call, IfAbandoned.RERUN);
        var before = time().instant();
        assertThat(run(newOnce(), Mode.LEASED, call.waiting(Duration.ofMillis(2_550)), () -> Response.of("no")))
                .isInstanceOf(Outcome.InProgress.class);
        assertThat(Duration.between(before, time().instant())).isEqualTo(Duration.ofMillis(2_550));
    }

    @Test
    default void duplicateThatWaitsForOneWhoFails_runsItself() throws Exception {
        for (Mode mode : modes()) {
            Once once = newOnce();
            Call call = call("k-" + mode).waiting(Duration.ofSeconds(5));
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
    }

    @Test
    default void waitThatIsInterrupted_endsWithInProgress() throws Exception {
        for (Mode mode : modes()) {
            Once once = newOnce();
            Call call = call("k-" + mode).waiting(Duration.ofSeconds(5));
            whileTheFirstRuns(once, mode, call, (threads, sign) -> {
                Thread.currentThread().interrupt();
                assertThat(run(once, mode, call, () -> Response.of("must not run")))
                        .isInstanceOf(Outcome.InProgress.class);
                assertThat(Thread.interrupted()).isTrue();
                sign.countDown();
            });
        }
    }

    @Test
    default void atomicOperationThatHangs_isNoLongerWaitedForAfterTheLongestRun() throws Exception {
        needs(Capability.COMMIT);
        Once once = newOnce();
        Call call = call("k");
        ExecutorService threads = Executors.newCachedThreadPool();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch sign = new CountDownLatch(1);
        try {
            Future<Outcome> hanging = threads.submit(() -> run(once, Mode.ATOMIC, call, () -> {
                running.countDown();
                sign.await();
                return Response.of("late");
            }));
            running.await();
            assertThat(run(once, Mode.ATOMIC, call, () -> Response.of("no"))).isInstanceOf(Outcome.InProgress.class);
            time().advance(SETTINGS.longestRun().plusSeconds(1));
            assertThat(run(once, Mode.ATOMIC, call, () -> Response.of("second")))
                    .isInstanceOf(Outcome.Executed.class);
            sign.countDown();
            assertThat(((Outcome.Replayed) hanging.get()).response()).isEqualTo(Response.of("second"));
        } finally {
            threads.shutdownNow();
        }
    }
}
