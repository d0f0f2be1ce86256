package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.once.Call;
import dev.semel.once.Lease;
import dev.semel.once.Once;
import dev.semel.once.Once.LeasedOperation;
import dev.semel.once.Once.UnknownOutcomeException;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import dev.semel.store.spi.OnceStore;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The owner renews its lease. After a crash another owner takes over, and the first has lost the lease. */
public interface LeaseContract extends StoreFixture {

    @Test
    default void slowOwner_keepsItsLease() {
        Call call = call("k");
        Once there = newOnce();
        Outcome outcome = newOnce().leased(call, IfAbandoned.RERUN, lease -> {
            for (int i = 0; i < 20; i++) {
                time().advance(SETTINGS.lease().dividedBy(2));
                assertThat(lease.isHeld()).isTrue();
                assertThat(run(there, Mode.LEASED, call, () -> Response.of("must not run")))
                        .isInstanceOf(Outcome.InProgress.class);
            }
            return Response.of("at last");
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        Outcome.Executed executed = (Outcome.Executed) outcome;
        assertThat(executed.expiresAt()).isEqualTo(time().instant().plus(SETTINGS.retention()));
        time().advance(SETTINGS.lease().multipliedBy(3));
        assertThat(Objects.requireNonNull(stored(call)).deadline()).isEqualTo(executed.expiresAt());
    }

    @Test
    default void failedHeartbeat_isMadeUpForByTheNext() {
        Call call = call("k");
        FaultyStore faulty = new FaultyStore(store());
        Outcome outcome = newOnce(faulty, SETTINGS, OnceListener.NONE).leased(call, IfAbandoned.RERUN, lease -> {
            for (int i = 0; i < 9; i++) {
                faulty.goDown();
                time().advance(SETTINGS.lease().dividedBy(3)); // this renewal fails
                faulty.comeUp();
                time().advance(SETTINGS.lease().dividedBy(3)); // and this one succeeds
                assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.InProgress.class);
            }
            return Response.of("at last");
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
    }

    /** Cuts an owner off from the store, runs {@code meanwhile}, and reconnects the owner. */
    private Outcome cutOffOwner(Call call, IfAbandoned ifAbandoned, OnceListener listener, Runnable meanwhile) {
        FaultyStore faulty = new FaultyStore(store());
        return newOnce(faulty, SETTINGS, listener).leased(call, ifAbandoned, lease -> {
            faulty.goDown();
            time().advance(SETTINGS.lease());
            assertThat(lease.isHeld()).isFalse();
            meanwhile.run();
            faulty.comeUp();
            return Response.of("late");
        });
    }

    @Test
    default void lateOwner_isRejected_andGetsTheResponseOfTheNewOwner() {
        Call call = call("k");
        List<Long> fencingTokens = new ArrayList<>();
        Rejections rejections = new Rejections();
        Outcome late = cutOffOwner(call, IfAbandoned.RERUN, rejections, () -> {
            fencingTokens.add(Objects.requireNonNull(stored(call)).fencingToken());
            newOnce().leased(call, IfAbandoned.RERUN, lease -> {
                fencingTokens.add(lease.fencingToken());
                return Response.of("second");
            });
        });
        assertThat(((Outcome.Replayed) late).response()).isEqualTo(Response.of("second"));
        assertThat(Objects.requireNonNull(stored(call)).response()).isEqualTo(Response.of("second"));
        assertThat(fencingTokens.get(1)).isGreaterThan(fencingTokens.get(0));
        assertThat(rejections.rejected).containsExactly(fencingTokens.get(0));
    }

    @Test
    default void lateOwner_whileAnotherRuns_isInProgress() {
        Call call = call("k");
        Outcome late =
                cutOffOwner(call, IfAbandoned.RERUN, OnceListener.NONE, () -> claimAndCrash(call, IfAbandoned.RERUN));
        assertThat(late).isInstanceOf(Outcome.InProgress.class);
        assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(Status.PROCESSING);
    }

    @Test
    default void lateOwner_afterAnotherFailed_hasFailedToo() {
        Call call = call("k");
        Outcome late = cutOffOwner(
                call,
                IfAbandoned.RERUN,
                OnceListener.NONE,
                () -> run(newOnce(), Mode.LEASED, call, () -> {
                    throw new IllegalStateException("second");
                }));
        assertThat(((Outcome.Failed) late).cause()).isInstanceOf(Lease.LostException.class);
        assertThat(Objects.requireNonNull(stored(call)).attempts()).isEqualTo(2);
    }

    @Test
    default void lateOwner_ofAFrozenOperation_isRejected() {
        Call call = call("k");
        Outcome late = cutOffOwner(
                call,
                IfAbandoned.FREEZE,
                OnceListener.NONE,
                () -> assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.Unknown.class));
        assertThat(late).isInstanceOf(Outcome.Unknown.class);
        assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(Status.UNKNOWN);
    }

    @Test
    default void lateOwner_withoutATakeover_completes() {
        Call call = call("k");
        Outcome late = cutOffOwner(call, IfAbandoned.RERUN, OnceListener.NONE, () -> {});
        assertThat(late).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    default void lateFailure_doesNotUndoWhatAnotherCompleted() {
        Call call = call("k");
        FaultyStore faulty = new FaultyStore(store());
        Outcome late = newOnce(faulty, SETTINGS, OnceListener.NONE).leased(call, IfAbandoned.RERUN, lease -> {
            faulty.goDown();
            time().advance(SETTINGS.lease());
            run(Mode.LEASED, call, "second");
            faulty.comeUp();
            throw new IllegalStateException("late");
        });
        assertThat(late).isInstanceOf(Outcome.Failed.class);
        assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.Replayed.class);
    }

    @Test
    default void ifAbandoned_isTheOwnersPolicy_notTheRetrys() {
        Call frozen = call("frozen");
        claimAndCrash(frozen, IfAbandoned.FREEZE);
        Call rerun = call("rerun");
        claimAndCrash(rerun, IfAbandoned.RERUN);
        time().advance(SETTINGS.lease());
        assertThat(newOnce().leased(frozen, IfAbandoned.RERUN, lease -> Response.of("must not run")))
                .isInstanceOf(Outcome.Unknown.class);
        assertThat(newOnce().leased(rerun, IfAbandoned.FREEZE, lease -> Response.of("runs")))
                .isInstanceOf(Outcome.Executed.class);
    }

    @Test
    default void ifAbandoned_ofARetryThatRuns_isStored() {
        Call call = call("k");
        newOnce().leased(call, IfAbandoned.FREEZE, lease -> {
            throw new IllegalStateException("first");
        });
        newOnce().leased(call, IfAbandoned.RERUN, lease -> {
            assertThat(Objects.requireNonNull(stored(call)).ifAbandoned()).isEqualTo(IfAbandoned.RERUN);
            return Response.of("second");
        });
    }

    @Test
    default void ownerThatHasLostItsLease_knowsItWithTheNextHeartbeat() {
        Call call = call("k");
        newOnce().leased(call, IfAbandoned.RERUN, lease -> {
            write(call, Precondition.unchanged(stored(call)), Status.FAILED, IfAbandoned.RERUN, null);
            assertThat(lease.isHeld()).isTrue();
            time().advance(SETTINGS.lease().dividedBy(3));
            assertThat(lease.isHeld()).isFalse();
            return Response.of("late");
        });
    }

    /** The effect has already happened, so the completion must be recorded. */
    @Test
    default void completion_isRetriedAsLongAsTheLeaseIsHeld() {
        for (IfAbandoned ifAbandoned : IfAbandoned.values()) {
            FaultyStore faulty = new FaultyStore(store());
            Call call = call("k-" + ifAbandoned);
            Outcome outcome = newOnce(faulty, SETTINGS, OnceListener.NONE).leased(call, ifAbandoned, lease -> {
                faulty.failBefore(20);
                return Response.of("done");
            });
            assertThat(outcome).isInstanceOf(Outcome.Executed.class);
            assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.Replayed.class);
        }
    }

    @Test
    default void recordingOfAFailure_isRetriedAsLongAsTheLeaseIsHeld() {
        FaultyStore faulty = new FaultyStore(store());
        Call call = call("k");
        newOnce(faulty, SETTINGS, OnceListener.NONE).leased(call, IfAbandoned.FREEZE, lease -> {
            faulty.failBefore(20);
            throw new IllegalStateException("did not work");
        });
        assertThat(run(Mode.LEASED, call, "second")).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    default void completionOnAStoreThatStaysDown_isGivenUpWithTheLease() {
        FaultyStore faulty = new FaultyStore(store());
        Call call = call("k");
        assertThatThrownBy(
                        () -> newOnce(faulty, SETTINGS, OnceListener.NONE).leased(call, IfAbandoned.FREEZE, lease -> {
                            faulty.goDown();
                            return Response.of("done");
                        }))
                .isInstanceOf(StoreException.class);
        time().advance(SETTINGS.lease());
        assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.Unknown.class);
    }

    @Test
    @SuppressWarnings("NullAway") // the worst exception that an operation can throw
    default void operationWithAnUnclearFailure_freezes() {
        List<LeasedOperation> operations = List.of(
                lease -> {
                    throw new StackOverflowError();
                },
                lease -> {
                    throw new InterruptedException();
                },
                lease -> null);
        for (int i = 0; i < operations.size(); i++) {
            Call call = call("k" + i);
            assertThat(newOnce().leased(call, IfAbandoned.FREEZE, operations.get(i)))
                    .isInstanceOf(Outcome.Unknown.class);
            assertThat(Thread.interrupted()).isEqualTo(i == 1);
            assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.Unknown.class);
        }
    }

    @Test
    default void unclearFailureThatIsWrapped_freezes() {
        List<Throwable> unclear = List.of(
                new StackOverflowError(),
                new InterruptedException(),
                new InterruptedIOException(),
                new ClosedByInterruptException(),
                new FileLockInterruptionException(),
                new UnknownOutcomeException("no response in time", null));
        for (int i = 0; i < unclear.size(); i++) {
            Throwable cause = new ExecutionException(new CompletionException(unclear.get(i)));
            Call call = call("k" + i);
            assertThat(newOnce().leased(call, IfAbandoned.FREEZE, lease -> {
                        throw new IllegalStateException(cause);
                    }))
                    .isInstanceOf(Outcome.Unknown.class);
            assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.Unknown.class);
        }
    }

    @Test
    default void failureWhoseCausesFormACycle_hasFailed() {
        Exception first = new Exception("first");
        Exception second = new Exception("second", first);
        first.initCause(second);
        assertThat(newOnce().leased(call("k"), IfAbandoned.FREEZE, lease -> {
                    throw second;
                }))
                .isInstanceOf(Outcome.Failed.class);
    }

    @Test
    default void operationWithAnUnknownOutcome_freezes_orCountsAsFailed() {
        Call frozen = call("frozen");
        assertThat(newOnce().leased(frozen, IfAbandoned.FREEZE, lease -> {
                    throw new UnknownOutcomeException("no response in time", null);
                }))
                .isInstanceOf(Outcome.Unknown.class);
        assertThat(run(Mode.LEASED, frozen, "must not run")).isInstanceOf(Outcome.Unknown.class);
        Call rerun = call("rerun");
        assertThat(newOnce().leased(rerun, IfAbandoned.RERUN, lease -> {
                    throw new UnknownOutcomeException("no response in time", null);
                }))
                .isInstanceOf(Outcome.Failed.class);
        assertThat(run(Mode.LEASED, rerun, "again")).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    default void ownerThatIsInterrupted_isRecordedAllTheSame() {
        Call call = call("k");
        OnceStore broken = new ForwardingStore(store()) {
            private int commits;

            @Override
            public CommitResult commit(Commit commit) {
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
                if (++commits == 2) {
                    throw StoreException.unavailable("the completion failed once", null);
                }
                return super.commit(commit);
            }
        };
        Outcome outcome = newOnce(broken, SETTINGS, OnceListener.NONE).leased(call, IfAbandoned.FREEZE, lease -> {
            Thread.currentThread().interrupt();
            return Response.of("done");
        });
        assertThat(Thread.interrupted()).isTrue();
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.Replayed.class);
    }

    @Test
    default void leaseOfAHangingOperation_isNotRenewedAfterTheLongestRun() {
        Call call = call("k");
        OnceSettings settings = SETTINGS.withLongestRun(Duration.ofMinutes(10));
        newOnce(store(), settings, OnceListener.NONE).leased(call, IfAbandoned.RERUN, lease -> {
            time().advance(Duration.ofMinutes(9));
            assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.InProgress.class);
            time().advance(Duration.ofMinutes(2));
            assertThat(lease.isHeld()).isFalse();
            assertThat(run(Mode.LEASED, call, "second")).isInstanceOf(Outcome.Executed.class);
            return Response.of("late");
        });
        assertThat(Objects.requireNonNull(stored(call)).response()).isEqualTo(Response.of("second"));
    }

    @Test
    default void clockThatIsSetBack_expiresNoLease_andLosesNothing() {
        Call call = call("k");
        Outcome outcome = newOnce().leased(call, IfAbandoned.RERUN, lease -> {
            time().setClock(time().instant().minus(Duration.ofDays(1)));
            assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.InProgress.class);
            time().advance(SETTINGS.lease().multipliedBy(2));
            assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.InProgress.class);
            return Response.of("done");
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        IdempotencyRecord record = Objects.requireNonNull(stored(call));
        assertThat(record.deadline()).isEqualTo(time().instant().plus(SETTINGS.retention()));
        assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.Replayed.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1999-12-31T23:59:59Z", "2019-12-31T23:59:59Z", "2200-01-01T00:00:00Z"})
    default void clockThatNoIdCanRepresent_runsTheOperationOnce(Instant wrong) {
        AtomicInteger runs = new AtomicInteger();
        for (Mode mode : modes()) {
            Call call = call("during-" + mode);
            time().setClock(Instant.parse("2026-01-07T12:00:00Z"));
            assertThat(run(newOnce(), mode, call, () -> {
                        time().setClock(wrong);
                        return Response.of("done " + runs.incrementAndGet());
                    }))
                    .isInstanceOf(Outcome.Executed.class);
            time().advance(SETTINGS.lease().multipliedBy(2));
            assertThat(run(mode, call, "must not run")).isInstanceOf(Outcome.Replayed.class);
            assertThat(run(mode, call("before-" + mode), "done")).isInstanceOf(Outcome.Executed.class);
        }
        assertThat(runs).hasValue(modes().size());
    }

    /** Collects the fencing tokens of completions that were rejected. */
    final class Rejections implements OnceListener {
        private final List<Long> rejected = new ArrayList<>();

        @Override
        public void completionRejected(IdempotencyKey key, long fencingToken) {
            rejected.add(fencingToken);
        }
    }
}
