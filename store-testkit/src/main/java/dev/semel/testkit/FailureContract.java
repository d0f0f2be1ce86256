package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static dev.semel.testkit.StoreFixture.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.once.AtomicOperation;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.Outcome;
import dev.semel.once.OutcomeName;
import dev.semel.once.ReentryException;
import dev.semel.once.UnrecordedException;
import dev.semel.store.Capability;
import dev.semel.store.ConflictException;
import dev.semel.store.IfAbandoned;
import dev.semel.store.OnceKey;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.Transaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What fails leaves no effect, is remembered, and can be tried again. */
public interface FailureContract extends StoreFixture {

    @Test
    default void operationThatThrows_leavesNoEffect_isRecorded_andRunsAgain() {
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            IllegalStateException broken = new IllegalStateException("broken");
            Once once = newOnce();
            for (int attempt = 1; attempt <= 3; attempt++) {
                assertThat(run(once, mode, call, () -> {
                            throw broken;
                        }))
                        .isEqualTo(new Outcome.Failed(broken, attempt));
                OnceRecord record = Objects.requireNonNull(stored(call));
                assertThat(record.status()).isEqualTo(OnceStatus.FAILED);
                assertThat(record.attempts()).isEqualTo(attempt);
                assertThat(record.deadline()).isEqualTo(time().instant().plus(SETTINGS.failedRetention()));
            }
            assertThat(((Outcome.Executed) run(mode, call, "at last")).attempt())
                    .isEqualTo(4);
        }
    }

    @Test
    default void atomicOperationThatHoldsNothingAgainstItsKey_leavesItAsItWas() {
        needs(Capability.COMMIT);
        Call call = call("k");
        UnrecordedException notNow = new UnrecordedException("not now");
        AtomicOperation refusing = tx -> {
            tx.expectAbsent(id("a"));
            tx.put(document("a", 1, "1"), List.of());
            throw notNow;
        };
        assertThat(newOnce().atomic(call, refusing)).isEqualTo(new Outcome.Failed(notNow, 1));
        assertThat(stored(call)).isNull();
        assertThat(store().read(id("a"))).isEmpty();
        newOnce().atomic(call, tx -> {
            throw new Exception("failed");
        });
        assertThat(newOnce().atomic(call, refusing)).isEqualTo(new Outcome.Failed(notNow, 2));
        assertThat(Objects.requireNonNull(stored(call)).attempts()).isEqualTo(1);
    }

    /** It may have failed because it met what the other one did. */
    @Test
    default void atomicRunThatFails_whileAnotherOfTheSameCompletes_isAnsweredAsThatOne() {
        needs(Capability.COMMIT);
        for (Exception failure : List.of(new UnrecordedException("it is there"), new IllegalStateException("broken"))) {
            Call call = call("k-" + failure.getClass().getSimpleName());
            Outcome outcome = newOnce().atomic(call, tx -> {
                run(Mode.ATOMIC, call, "done");
                throw failure;
            });
            assertThat(outcome).isInstanceOf(Outcome.Replayed.class);
            assertThat(((Outcome.Replayed) outcome).response()).isEqualTo(Response.of("done"));
        }
    }

    @Test
    default void atomicOperationThatThrows_writesNothing() {
        needs(Capability.COMMIT);
        newOnce().atomic(call("k"), tx -> {
            tx.expectAbsent(id("a"));
            tx.put(document("a", 1, "1"), List.of());
            throw new Exception("after writing");
        });
        assertThat(store().read(id("a"))).isEmpty();
    }

    @Test
    default void operationThatRunsOutOfStack_hasFailed() {
        for (Mode mode : modes()) {
            Outcome outcome = run(newOnce(), mode, call("k-" + mode), () -> {
                throw new StackOverflowError();
            });
            assertThat(((Outcome.Failed) outcome).cause()).isInstanceOf(StackOverflowError.class);
        }
    }

    @Test
    @SuppressWarnings("NullAway") // hostile on purpose
    default void operationThatAnswersNull_hasFailed() {
        for (Mode mode : modes()) {
            Outcome outcome = run(newOnce(), mode, call("k-" + mode), () -> null);
            assertThat(((Outcome.Failed) outcome).cause()).isInstanceOf(NullPointerException.class);
        }
    }

    @Test
    default void operationThatIsInterrupted_hasFailed_andTheThreadStaysInterrupted() {
        for (Mode mode : modes()) {
            Outcome outcome = run(newOnce(), mode, call("k-" + mode), () -> {
                throw new InterruptedException();
            });
            assertThat(outcome).isInstanceOf(Outcome.Failed.class);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    default void operationThatCallsForItself_isToldSo_andHasFailed() {
        for (Mode mode : modes()) {
            Once once = newOnce();
            Call call = call("k-" + mode).waiting(Duration.ofSeconds(30));
            Outcome outcome = run(once, mode, call, () -> {
                run(once, mode, call, () -> Response.of("inner"));
                return Response.of("outer");
            });
            assertThat(((Outcome.Failed) outcome).cause()).isInstanceOf(ReentryException.class);
            assertThat(run(once, mode, call, () -> Response.of("again"))).isInstanceOf(Outcome.Executed.class);
        }
    }

    @Test
    default void operationThatCallsForAnotherKey_isFine() {
        for (Mode mode : modes()) {
            Once once = newOnce();
            Outcome outcome = run(once, mode, call("outer-" + mode), () -> {
                run(once, mode, call("inner-" + mode), () -> Response.of("inner"));
                return Response.of("outer");
            });
            assertThat(outcome).isInstanceOf(Outcome.Executed.class);
            assertThat(run(mode, call("inner-" + mode), "must not run")).isInstanceOf(Outcome.Replayed.class);
        }
    }

    @Test
    default void storeThatIsDown_throws_andNothingIsExecuted() {
        for (Mode mode : modes()) {
            FaultyStore faulty = new FaultyStore(store());
            Once once = newOnce(faulty, SETTINGS, OnceListener.NONE);
            AtomicInteger runs = new AtomicInteger();
            faulty.goDown();
            assertThatThrownBy(() -> run(once, mode, call("k-" + mode), () -> {
                        runs.incrementAndGet();
                        return Response.of("done");
                    }))
                    .isInstanceOf(StoreException.class);
            assertThat(runs).hasValue(0);
            faulty.comeUp();
            assertThat(run(once, mode, call("k-" + mode), () -> Response.of("done")))
                    .isInstanceOf(Outcome.Executed.class);
        }
    }

    /** A commit that broke is never taken for failed: the retry looks it up. */
    @Test
    default void commitWhoseAnswerStaysLost_throws_andTheRetryFindsIt() {
        needs(Capability.COMMIT);
        FaultyStore faulty = new FaultyStore(store());
        Once once = newOnce(faulty, SETTINGS, OnceListener.NONE);
        faulty.loseAnswers(4);
        assertThatThrownBy(() -> run(once, Mode.ATOMIC, call("k"), () -> Response.of("done")))
                .isInstanceOf(StoreException.class);
        Outcome retry = run(once, Mode.ATOMIC, call("k"), () -> Response.of("must not run"));
        assertThat(((Outcome.Replayed) retry).response()).isEqualTo(Response.of("done"));
    }

    @Test
    default void storeThatFailsInsideAnOperation_isNotTheOperationsFailure_evenIfItHidesIt() {
        needs(Capability.COMMIT);
        FaultyStore faulty = new FaultyStore(store());
        Once once = newOnce(faulty, SETTINGS, OnceListener.NONE);
        assertThatThrownBy(() -> once.atomic(call("k"), tx -> {
                    faulty.goDown();
                    try {
                        tx.read(id("a"));
                    } catch (StoreException hidden) {
                        throw new IllegalStateException("hidden");
                    } finally {
                        faulty.comeUp();
                    }
                    return Response.of("done");
                }))
                .isInstanceOf(StoreException.class);
        assertThat(stored(call("k"))).isNull();
    }

    @Test
    default void failureThatCannotBeRecorded_isAFailureAllTheSame() {
        for (Mode mode : modes()) {
            FaultyStore faulty = new FaultyStore(store());
            Outcome outcome = run(newOnce(faulty, SETTINGS, OnceListener.NONE), mode, call("k-" + mode), () -> {
                faulty.goDown();
                throw new IllegalStateException("broken");
            });
            assertThat(((Outcome.Failed) outcome).cause()).hasMessage("broken");
        }
    }

    @Test
    default void operationThatOthersKeepDisturbing_hasFailed_andNothingIsWritten() {
        needs(Capability.COMMIT);
        FaultyStore faulty = new FaultyStore(store());
        AtomicInteger version = new AtomicInteger();
        commit(Map.of(), document("hot", 1, "0"));
        faulty.beforeCommit(() -> {
            long next = 2L + version.getAndIncrement();
            commit(Map.of(), document("hot", next, "0"));
        });
        Outcome outcome = newOnce(faulty, SETTINGS, OnceListener.NONE).atomic(call("k"), tx -> {
            tx.read(id("hot"));
            tx.put(document("hot", 9_999, "1"), List.of());
            return Response.of("done");
        });
        assertThat(((Outcome.Failed) outcome).cause()).isInstanceOf(ConflictException.class);
        assertThat(store().read(id("hot")).orElseThrow().version()).isNotEqualTo(9_999);
        assertThat(Objects.requireNonNull(stored(call("k"))).status()).isEqualTo(OnceStatus.FAILED);
    }

    /** A store that breaks in a way of its own has said nothing about the commit. */
    @Test
    default void commitThatBreaks_isNeverTakenForFailed() {
        needs(Capability.COMMIT);
        FaultyStore breaking = new FaultyStore(store());
        breaking.beforeCommit(() -> {
            throw new IllegalStateException("broken");
        });
        Once once = newOnce(breaking, SETTINGS, OnceListener.NONE);
        assertThatThrownBy(() -> run(once, Mode.ATOMIC, call("k"), () -> Response.of("done")))
                .isInstanceOf(StoreException.class);
        assertThat(stored(call("k"))).isNull();
    }

    @Test
    default void events_areToldOnce() {
        for (Mode mode : modes()) {
            List<String> told = new ArrayList<>();
            Once once = newOnce(store(), SETTINGS, new OnceListener() {
                @Override
                public void keyCreated(OnceKey key) {
                    told.add("created");
                }

                @Override
                public void takenOver(OnceKey key, long fence) {
                    told.add("taken over");
                }

                @Override
                public void ended(OnceKey key, Outcome outcome, Duration took) {
                    told.add(outcome.getClass().getSimpleName());
                }
            });
            Call call = call("k-" + mode);
            run(once, mode, call, () -> {
                throw new IllegalStateException("failed");
            });
            run(once, mode, call, () -> Response.of("done"));
            run(once, mode, call, () -> Response.of("must not run"));
            assertThat(told).containsExactly("created", "Failed", "Executed", "Replayed");
            told.clear();
            Call abandoned = call("abandoned-" + mode);
            claimAndVanish(abandoned, IfAbandoned.RERUN);
            time().advance(SETTINGS.lease());
            run(once, mode, abandoned, () -> Response.of("done"));
            assertThat(told).containsExactly("taken over", "Executed");
        }
    }

    @Test
    default void callThatComesIn_isToldToEndOrToBreakOff() {
        for (Mode mode : modes()) {
            List<String> told = new ArrayList<>();
            FaultyStore faulty = new FaultyStore(store());
            Once once = newOnce(faulty, SETTINGS, new OnceListener() {
                @Override
                public void called(OnceKey key) {
                    told.add("called " + key.key());
                }

                @Override
                public void brokeOff(OnceKey key, Throwable cause) {
                    told.add("broke off: " + cause.getMessage());
                }

                @Override
                public void ended(OnceKey key, Outcome outcome, Duration took) {
                    told.add(OutcomeName.of(outcome));
                }
            });
            String key = "k-" + mode;
            run(once, mode, call(key), () -> Response.of("done"));
            faulty.goDown();
            assertThatThrownBy(() -> run(once, mode, call(key), () -> Response.of("must not run")))
                    .isInstanceOf(StoreException.class);
            assertThat(told).containsExactly("called " + key, "executed", "called " + key, "broke off: down");
        }
    }

    @Test
    default void listenerThatThrows_changesNothing() {
        for (Mode mode : modes()) {
            Once once = newOnce(store(), SETTINGS, new OnceListener() {
                @Override
                public void ended(OnceKey key, Outcome outcome, Duration took) {
                    throw new AssertionError("listener");
                }
            });
            assertThat(run(once, mode, call("k-" + mode), () -> Response.of("done")))
                    .isInstanceOf(Outcome.Executed.class);
        }
    }

    @Test
    default void transactionThatIsUsedAfterItsEnd_refuses() {
        needs(Capability.COMMIT);
        List<Transaction> kept = new ArrayList<>();
        newOnce().atomic(call("k"), tx -> {
            kept.add(tx);
            return Response.of("done");
        });
        assertThatThrownBy(() -> kept.get(0).read(id("a"))).isInstanceOf(IllegalStateException.class);
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
