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
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A failed operation has no effect, has a record, and can be retried. */
public interface FailureContract extends StoreFixture {

    @ParameterizedTest
    @EnumSource
    default void operationThatThrows_leavesNoEffect_isRecorded_andRunsAgain(Mode mode) {
        Call call = call("k");
        IllegalStateException broken = new IllegalStateException("broken");
        Once once = newOnce();
        for (int attempt = 1; attempt <= 3; attempt++) {
            assertThat(run(once, mode, call, () -> {
                        throw broken;
                    }))
                    .isEqualTo(new Outcome.Failed(broken, attempt));
            IdempotencyRecord record = Objects.requireNonNull(stored(call));
            assertThat(record.status()).isEqualTo(Status.FAILED);
            assertThat(record.attempts()).isEqualTo(attempt);
            assertThat(record.deadline()).isEqualTo(time().instant().plus(SETTINGS.failedRetention()));
        }
        assertThat(((Outcome.Executed) run(mode, call, "at last")).attempt()).isEqualTo(4);
    }

    @ParameterizedTest
    @EnumSource
    default void operationThatRunsOutOfStack_hasFailed(Mode mode) {
        Outcome outcome = run(newOnce(), mode, call("k"), () -> {
            throw new StackOverflowError();
        });
        assertThat(((Outcome.Failed) outcome).cause()).isInstanceOf(StackOverflowError.class);
    }

    /** Kotlin, Scala and Lombok's SneakyThrows let an operation throw anything. */
    @ParameterizedTest
    @EnumSource
    default void operationThatThrowsAPlainThrowable_hasFailed(Mode mode) {
        Throwable plain = new Throwable("neither exception nor error");
        Call call = call("k");
        assertThat(run(newOnce(), mode, call, () -> {
                    throw StoreFixture.<RuntimeException>unchecked(plain);
                }))
                .isEqualTo(new Outcome.Failed(plain, 1));
        assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(Status.FAILED);
        assertThat(run(mode, call, "again")).isInstanceOf(Outcome.Executed.class);
    }

    @ParameterizedTest
    @EnumSource
    @SuppressWarnings("NullAway") // the worst exception that an operation can throw
    default void operationThatReturnsNull_hasFailed(Mode mode) {
        Outcome outcome = run(newOnce(), mode, call("k"), () -> null);
        assertThat(((Outcome.Failed) outcome).cause()).isInstanceOf(NullPointerException.class);
    }

    @ParameterizedTest
    @EnumSource
    default void operationThatIsInterrupted_hasFailed_andTheThreadStaysInterrupted(Mode mode) {
        Outcome outcome = run(newOnce(), mode, call("k"), () -> {
            throw new InterruptedException();
        });
        assertThat(outcome).isInstanceOf(Outcome.Failed.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    default void operationThatCallsItself_hasFailed(Mode mode) {
        Once once = newOnce();
        Call call = call("k").waiting(Duration.ofSeconds(30));
        Outcome outcome = run(once, mode, call, () -> {
            run(once, mode, call, () -> Response.of("inner"));
            return Response.of("outer");
        });
        assertThat(((Outcome.Failed) outcome).cause()).isInstanceOf(IllegalStateException.class);
        assertThat(run(once, mode, call, () -> Response.of("again"))).isInstanceOf(Outcome.Executed.class);
    }

    @ParameterizedTest
    @EnumSource
    default void operationThatCallsWithAnotherKey_completes(Mode mode) {
        Once once = newOnce();
        Outcome outcome = run(once, mode, call("outer"), () -> {
            run(once, mode, call("inner"), () -> Response.of("inner"));
            return Response.of("outer");
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(run(mode, call("inner"), "must not run")).isInstanceOf(Outcome.Replayed.class);
    }

    @ParameterizedTest
    @EnumSource
    default void storeThatIsDown_throws_andNothingIsExecuted(Mode mode) {
        FaultyStore faulty = new FaultyStore(store());
        Once once = newOnce(faulty, SETTINGS, OnceListener.NONE);
        AtomicInteger runs = new AtomicInteger();
        faulty.goDown();
        assertThatThrownBy(() -> run(once, mode, call("k"), () -> {
                    runs.incrementAndGet();
                    return Response.of("done");
                }))
                .isInstanceOf(StoreException.class);
        assertThat(runs).hasValue(0);
        faulty.comeUp();
        assertThat(run(once, mode, call("k"), () -> Response.of("done"))).isInstanceOf(Outcome.Executed.class);
    }

    @ParameterizedTest
    @EnumSource
    default void failureThatCannotBeRecorded_isAFailureAllTheSame(Mode mode) {
        FaultyStore faulty = new FaultyStore(store());
        Outcome outcome = run(newOnce(faulty, SETTINGS, OnceListener.NONE), mode, call("k"), () -> {
            faulty.goDown();
            throw new IllegalStateException("broken");
        });
        assertThat(((Outcome.Failed) outcome).cause()).hasMessage("broken");
    }

    @ParameterizedTest
    @EnumSource
    default void events_areReportedOnce(Mode mode) {
        List<String> events = new ArrayList<>();
        Once once = newOnce(store(), SETTINGS, new OnceListener() {
            @Override
            public void keyCreated(IdempotencyKey key) {
                events.add("created");
            }

            @Override
            public void takenOver(IdempotencyKey key, long fencingToken) {
                events.add("taken over");
            }

            @Override
            public void ended(IdempotencyKey key, Outcome outcome, Duration took) {
                events.add(outcome.getClass().getSimpleName());
            }
        });
        Call call = call("k");
        run(once, mode, call, () -> {
            throw new IllegalStateException("failed");
        });
        run(once, mode, call, () -> Response.of("done"));
        run(once, mode, call, () -> Response.of("must not run"));
        assertThat(events).containsExactly("created", "Failed", "Executed", "Replayed");
        events.clear();
        Call abandoned = call("abandoned");
        claimAndCrash(abandoned, IfAbandoned.RERUN);
        time().advance(SETTINGS.lease());
        run(once, mode, abandoned, () -> Response.of("done"));
        assertThat(events).containsExactly("taken over", "Executed");
    }

    @ParameterizedTest
    @EnumSource
    default void call_isReported_withItsEndOrItsException(Mode mode) {
        List<String> events = new ArrayList<>();
        FaultyStore faulty = new FaultyStore(store());
        Once once = newOnce(faulty, SETTINGS, new OnceListener() {
            @Override
            public void called(IdempotencyKey key) {
                events.add("called " + key.key());
            }

            @Override
            public void aborted(IdempotencyKey key, Throwable cause) {
                events.add("aborted: " + cause.getMessage());
            }

            @Override
            public void ended(IdempotencyKey key, Outcome outcome, Duration took) {
                events.add(outcome.name());
            }
        });
        String key = "k";
        run(once, mode, call(key), () -> Response.of("done"));
        faulty.goDown();
        assertThatThrownBy(() -> run(once, mode, call(key), () -> Response.of("must not run")))
                .isInstanceOf(StoreException.class);
        assertThat(events).containsExactly("called " + key, "executed", "called " + key, "aborted: down");
    }

    @ParameterizedTest
    @EnumSource
    default void listenerThatThrows_changesNothing(Mode mode) {
        Once once = newOnce(store(), SETTINGS, new OnceListener() {
            @Override
            public void ended(IdempotencyKey key, Outcome outcome, Duration took) {
                throw new AssertionError("listener");
            }
        });
        assertThat(run(once, mode, call("k"), () -> Response.of("done"))).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    default void leaseOfAFailedOperation_isOver() {
        Call call = call("k");
        run(newOnce(), Mode.LEASED, call, () -> {
            throw new IllegalStateException("broken");
        });
        assertThat(newOnce().leased(call, IfAbandoned.RERUN, lease -> Response.of("at once")))
                .isInstanceOf(Outcome.Executed.class);
    }
}
