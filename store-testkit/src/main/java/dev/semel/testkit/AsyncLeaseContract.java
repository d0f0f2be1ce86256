package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.Outcome;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.spi.IdempotencyRecord.Status;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** A leased operation may complete after the call has returned. Its owner renews the lease until then. */
public interface AsyncLeaseContract extends StoreFixture {

    private static Outcome outcome(CompletableFuture<Outcome> call) {
        assertThat(call).isDone();
        return call.join();
    }

    private static CompletableFuture<Outcome> start(
            Once once, Call call, IfAbandoned ifAbandoned, CompletableFuture<Response> response) {
        return once.leasedAsync(call, ifAbandoned, lease -> response).toCompletableFuture();
    }

    @Test
    default void pendingOperation_keepsItsLease_andIsRecordedWhenItCompletes() {
        Call call = call("k");
        Once once = newOnce();
        CompletableFuture<Response> response = new CompletableFuture<>();
        CompletableFuture<Outcome> pending = start(once, call, IfAbandoned.FREEZE, response);
        for (int i = 0; i < 20; i++) {
            time().advance(SETTINGS.lease().dividedBy(2));
            assertThat(pending).isNotDone();
            assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(Status.PROCESSING);
            for (Once any : List.of(once, newOnce())) {
                assertThat(run(any, Mode.LEASED, call, () -> Response.of("must not run")))
                        .isInstanceOf(Outcome.InProgress.class);
            }
        }
        response.complete(Response.of("at last"));
        assertThat(outcome(pending)).isInstanceOf(Outcome.Executed.class);
        assertThat(run(Mode.LEASED, call, "must not run").response()).isEqualTo(Response.of("at last"));
        time().advance(SETTINGS.lease().multipliedBy(3));
        assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(Status.COMPLETED);
    }

    @Test
    default void pendingOperationThatFails_hasFailed_orIsUnknown() {
        List<Throwable> unclear = List.of(new StackOverflowError(), new InterruptedException());
        for (int i = 0; i < unclear.size(); i++) {
            CompletableFuture<Response> response = new CompletableFuture<>();
            CompletableFuture<Outcome> frozen = start(newOnce(), call("frozen" + i), IfAbandoned.FREEZE, response);
            CompletableFuture<Outcome> rerun = start(newOnce(), call("rerun" + i), IfAbandoned.RERUN, response);
            response.completeExceptionally(unclear.get(i));
            assertThat(outcome(frozen)).isInstanceOf(Outcome.Unknown.class);
            assertThat(outcome(rerun)).isInstanceOf(Outcome.Failed.class);
            assertThat(run(Mode.LEASED, call("frozen" + i), "must not run")).isInstanceOf(Outcome.Unknown.class);
            assertThat(run(Mode.LEASED, call("rerun" + i), "again")).isInstanceOf(Outcome.Executed.class);
            assertThat(Thread.interrupted()).isFalse();
        }
        CompletableFuture<Response> response = new CompletableFuture<>();
        CompletableFuture<Outcome> failed = start(
                newOnce(),
                call("failed"),
                IfAbandoned.FREEZE,
                response.thenApply(result -> Response.of("not reached")));
        IllegalStateException cause = new IllegalStateException("broken");
        response.completeExceptionally(cause);
        assertThat(((Outcome.Failed) outcome(failed)).cause()).isSameAs(cause);
    }

    @Test
    default void operationThatIsCompleteAtOnce_isRecordedAtOnce() {
        CompletableFuture<Outcome> call =
                start(newOnce(), call("k"), IfAbandoned.FREEZE, CompletableFuture.completedFuture(Response.of("done")));
        assertThat(outcome(call).response()).isEqualTo(Response.of("done"));
    }

    @Test
    default void callOfAPendingOperation_waitsForIt() {
        Call call = call("k");
        Once once = newOnce();
        CompletableFuture<Response> response = new CompletableFuture<>();
        CompletableFuture<Outcome> pending = start(once, call, IfAbandoned.FREEZE, response);
        time().after(Duration.ofSeconds(1), () -> response.complete(Response.of("in time")));
        CompletableFuture<Outcome> waiting =
                CompletableFuture.supplyAsync(() -> run(once, Mode.LEASED, call.waiting(Duration.ofSeconds(30)), () -> {
                    throw new AssertionError("must not run");
                }));
        time().awaitScheduled(3); // the heartbeat, the completion, and the end of the wait
        time().advance(Duration.ofSeconds(1));
        assertThat(waiting.join()).isInstanceOf(Outcome.Replayed.class);
        assertThat(outcome(pending)).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    default void pendingOperationWhoseLeaseIsLost_isRejected() {
        Call call = call("k");
        FaultyStore faulty = new FaultyStore(store());
        CompletableFuture<Response> response = new CompletableFuture<>();
        CompletableFuture<Outcome> late =
                start(newOnce(faulty, SETTINGS, OnceListener.NONE), call, IfAbandoned.RERUN, response);
        faulty.goDown();
        time().advance(SETTINGS.lease());
        run(Mode.LEASED, call, "second");
        faulty.comeUp();
        response.complete(Response.of("late"));
        assertThat(outcome(late).response()).isEqualTo(Response.of("second"));
    }

    @Test
    default void storeThatFailsAtTheEnd_failsTheCall_andIsReported() {
        FaultyStore faulty = new FaultyStore(store());
        List<Throwable> aborted = new CopyOnWriteArrayList<>();
        Once once = newOnce(faulty, SETTINGS, new OnceListener() {
            @Override
            public void aborted(IdempotencyKey key, Throwable cause) {
                aborted.add(cause);
            }
        });
        CompletableFuture<Response> response = new CompletableFuture<>();
        CompletableFuture<Outcome> call = start(once, call("k"), IfAbandoned.FREEZE, response);
        faulty.goDown();
        response.complete(Response.of("done"));
        assertThatThrownBy(call::join).isInstanceOf(CompletionException.class).hasCauseInstanceOf(StoreException.class);
        assertThat(aborted).hasSize(1).hasOnlyElementsOfType(StoreException.class);
        faulty.comeUp();
        time().advance(SETTINGS.lease());
        assertThat(run(Mode.LEASED, call("k"), "must not run")).isInstanceOf(Outcome.Unknown.class);
    }
}
