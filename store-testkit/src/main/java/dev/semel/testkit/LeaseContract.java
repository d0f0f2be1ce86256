package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.once.Call;
import dev.semel.once.LeaseLostException;
import dev.semel.once.LeasedOperation;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.once.UnknownOutcomeException;
import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.Expected;
import dev.semel.store.IfAbandoned;
import dev.semel.store.OnceKey;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.Response;
import dev.semel.store.Store;
import dev.semel.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A lease is kept up by its owner, taken over when the owner vanishes, and lost for good then. */
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
    default void heartbeatsThatGetLost_areMadeUpForByTheNext() {
        Call call = call("k");
        FaultyStore faulty = new FaultyStore(store());
        Outcome outcome = newOnce(faulty, SETTINGS, OnceListener.NONE).leased(call, IfAbandoned.RERUN, lease -> {
            for (int i = 0; i < 9; i++) {
                faulty.goDown();
                time().advance(SETTINGS.lease().dividedBy(3)); // this beat fails
                faulty.comeUp();
                time().advance(SETTINGS.lease().dividedBy(3)); // and this one gets through
                assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.InProgress.class);
            }
            return Response.of("at last");
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
    }

    /** An owner is cut off, another takes over, and then the first comes back. */
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
    default void lateOwner_isRefused_andGetsTheAnswerOfTheOneWhoTookOver() {
        Call call = call("k");
        List<Long> fences = new ArrayList<>();
        Refusals refusals = new Refusals();
        Outcome late = cutOffOwner(call, IfAbandoned.RERUN, refusals, () -> {
            fences.add(Objects.requireNonNull(stored(call)).fence());
            newOnce().leased(call, IfAbandoned.RERUN, lease -> {
                fences.add(lease.fence());
                return Response.of("second");
            });
        });
        assertThat(((Outcome.Replayed) late).response()).isEqualTo(Response.of("second"));
        assertThat(Objects.requireNonNull(stored(call)).response()).isEqualTo(Response.of("second"));
        assertThat(fences.get(1)).isGreaterThan(fences.get(0));
        assertThat(refusals.refused).containsExactly(fences.get(0));
    }

    @Test
    default void lateOwner_whileAnotherRuns_isToldSo() {
        Call call = call("k");
        Outcome late =
                cutOffOwner(call, IfAbandoned.RERUN, OnceListener.NONE, () -> claimAndVanish(call, IfAbandoned.RERUN));
        assertThat(late).isInstanceOf(Outcome.InProgress.class);
        assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(OnceStatus.PROCESSING);
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
        assertThat(((Outcome.Failed) late).cause()).isInstanceOf(LeaseLostException.class);
        assertThat(Objects.requireNonNull(stored(call)).attempts()).isEqualTo(2);
    }

    @Test
    default void lateOwner_ofAFrozenOperation_isRefused() {
        Call call = call("k");
        Outcome late = cutOffOwner(
                call,
                IfAbandoned.FREEZE,
                OnceListener.NONE,
                () -> assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.Unknown.class));
        assertThat(late).isInstanceOf(Outcome.Unknown.class);
        assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(OnceStatus.UNKNOWN);
    }

    @Test
    default void lateOwner_whomNobodyMissed_completes() {
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
    default void policy_isTheOneOfTheOwner_notOfWhoAsksLater() {
        Call frozen = call("frozen");
        claimAndVanish(frozen, IfAbandoned.FREEZE);
        Call rerun = call("rerun");
        claimAndVanish(rerun, IfAbandoned.RERUN);
        time().advance(SETTINGS.lease());
        assertThat(newOnce().leased(frozen, IfAbandoned.RERUN, lease -> Response.of("must not run")))
                .isInstanceOf(Outcome.Unknown.class);
        assertThat(newOnce().leased(rerun, IfAbandoned.FREEZE, lease -> Response.of("runs")))
                .isInstanceOf(Outcome.Executed.class);
    }

    @Test
    default void policyOfARetry_isStored() {
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
    default void lease_isCountedFromBeforeTheClaim() {
        FaultyStore slow = new FaultyStore(store());
        slow.beforeCommit(() -> time().advance(SETTINGS.lease().dividedBy(2)));
        newOnce(slow, SETTINGS, OnceListener.NONE).leased(call("k"), IfAbandoned.RERUN, lease -> {
            slow.beforeCommit(() -> {});
            slow.goDown();
            time().advance(SETTINGS.lease().dividedBy(2));
            assertThat(lease.isHeld()).isFalse();
            slow.comeUp();
            return Response.of("done");
        });
    }

    @Test
    default void ownerWhoHasLostItsLease_knowsItWithTheNextBeat() {
        Call call = call("k");
        newOnce().leased(call, IfAbandoned.RERUN, lease -> {
            write(call, Expected.asSeen(stored(call)), OnceStatus.FAILED, IfAbandoned.RERUN, null);
            assertThat(lease.isHeld()).isTrue();
            time().advance(SETTINGS.lease().dividedBy(3));
            assertThat(lease.isHeld()).isFalse();
            return Response.of("late");
        });
    }

    /** The effect is there already: all that matters now is to say so. */
    @Test
    default void completion_isTriedAsLongAsTheLeaseIsHeld() {
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
    default void failure_isTriedToBeRecordedAsLongAsTheLeaseIsHeld() {
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

    /** Nobody knows of the claim, so nobody runs the operation; it is free again, not frozen. */
    @Test
    default void claimWhoseAnswerStaysLost_isGivenBack() {
        for (IfAbandoned ifAbandoned : IfAbandoned.values()) {
            FaultyStore faulty = new FaultyStore(store());
            Call call = call("k-" + ifAbandoned);
            faulty.loseAnswers(4);
            assertThatThrownBy(() -> newOnce(faulty, SETTINGS, OnceListener.NONE)
                            .leased(call, ifAbandoned, lease -> Response.of("must not run")))
                    .isInstanceOf(StoreException.class);
            assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(OnceStatus.PROCESSING);
            faulty.goDown();
            time().advance(Duration.ofSeconds(5));
            faulty.comeUp();
            time().advance(Duration.ofSeconds(1));
            assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(OnceStatus.FAILED);
            assertThat(run(Mode.LEASED, call, "runs")).isInstanceOf(Outcome.Executed.class);
        }
    }

    /** The store was still at it when it was asked what had become of it, longer than a lease. */
    @Test
    default void claimThatIsMadeLate_isGivenBack() {
        Call call = call("k");
        List<Commit> pending = new ArrayList<>();
        List<OnceKey> created = new ArrayList<>();
        Store stalled = new ForwardingStore(store()) {
            @Override
            public CommitResult commit(Commit commit) {
                if (pending.size() < 4) {
                    pending.add(commit);
                    time().advance(SETTINGS.lease().dividedBy(3));
                    throw StoreException.unavailable("no answer in time", null);
                }
                return store.commit(commit);
            }
        };
        Once once = newOnce(stalled, SETTINGS, new OnceListener() {
            @Override
            public void keyCreated(OnceKey key) {
                created.add(key);
            }
        });
        assertThatThrownBy(() -> once.leased(call, IfAbandoned.FREEZE, lease -> Response.of("must not run")))
                .isInstanceOf(StoreException.class);
        time().advance(Duration.ofSeconds(5));
        store().commit(pending.get(0));
        assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(OnceStatus.PROCESSING);
        time().advance(Duration.ofSeconds(2));
        assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(OnceStatus.FAILED);
        assertThat(created).containsExactly(call.key());
    }

    @Test
    @SuppressWarnings("NullAway") // hostile on purpose
    default void operationThatDoesNotSayThatItDidNotWork_freezes() {
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
    default void operationThatCannotTell_freezes_orCountsAsFailed() {
        Call frozen = call("frozen");
        assertThat(newOnce().leased(frozen, IfAbandoned.FREEZE, lease -> {
                    throw new UnknownOutcomeException("no answer in time", null);
                }))
                .isInstanceOf(Outcome.Unknown.class);
        assertThat(run(Mode.LEASED, frozen, "must not run")).isInstanceOf(Outcome.Unknown.class);
        Call rerun = call("rerun");
        assertThat(newOnce().leased(rerun, IfAbandoned.RERUN, lease -> {
                    throw new UnknownOutcomeException("no answer in time", null);
                }))
                .isInstanceOf(Outcome.Failed.class);
        assertThat(run(Mode.LEASED, rerun, "again")).isInstanceOf(Outcome.Executed.class);
    }

    /** A store that answers the first commit late. */
    private Store slowAtFirst(Duration delay) {
        return new ForwardingStore(store()) {
            private boolean claimed;

            @Override
            public CommitResult commit(Commit commit) {
                CommitResult result = store.commit(commit);
                if (!claimed) {
                    claimed = true;
                    time().advance(delay);
                }
                return result;
            }
        };
    }

    @Test
    default void claimWhoseAnswerCameTooLate_isMadeAgainBeforeAnythingRuns() {
        Call call = call("k");
        Store slow = slowAtFirst(SETTINGS.lease());
        Outcome outcome = newOnce(slow, SETTINGS, OnceListener.NONE).leased(call, IfAbandoned.FREEZE, lease -> {
            assertThat(lease.isHeld()).isTrue();
            return Response.of("done");
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(((Outcome.Executed) outcome).attempt()).isEqualTo(2);
    }

    /** Nothing ran, and so nobody has to find out whether it did. */
    @Test
    default void claimWhoseAnswerCameTooLate_isGivenBackWhenTheStoreCanBeUsedAgain() {
        Call call = call("k");
        FaultyStore faulty = new FaultyStore(store());
        Store slow = new ForwardingStore(faulty) {
            @Override
            public CommitResult commit(Commit commit) {
                CommitResult result = store.commit(commit);
                time().advance(SETTINGS.lease());
                faulty.goDown();
                return result;
            }
        };
        Once once = newOnce(slow, SETTINGS, OnceListener.NONE);
        assertThatThrownBy(() -> once.leased(call, IfAbandoned.FREEZE, lease -> Response.of("must not run")))
                .isInstanceOf(StoreException.class);
        assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(OnceStatus.PROCESSING);
        faulty.comeUp();
        time().advance(Duration.ofSeconds(1));
        assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(OnceStatus.FAILED);
        assertThat(run(Mode.LEASED, call, "done")).isInstanceOf(Outcome.Executed.class);
    }

    /** It counts from when it was asked for, and so does when it has to be kept up. */
    @Test
    default void leaseWhoseAnswerTookLong_isKeptUpAtOnce() {
        Call call = call("k");
        Store slow = slowAtFirst(SETTINGS.lease().multipliedBy(70).dividedBy(100));
        Outcome outcome = newOnce(slow, SETTINGS, OnceListener.NONE).leased(call, IfAbandoned.RERUN, lease -> {
            time().advance(SETTINGS.lease().multipliedBy(31).dividedBy(100));
            assertThat(lease.isHeld()).isTrue();
            assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.InProgress.class);
            return Response.of("done");
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    default void ownerThatIsInterrupted_isRecordedAllTheSame() {
        Call call = call("k");
        Store broken = new ForwardingStore(store()) {
            private int commits;

            @Override
            public CommitResult commit(Commit commit) {
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
                if (++commits == 2) {
                    throw StoreException.unavailable("the completion failed once", null);
                }
                return store.commit(commit);
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
    default void operationThatHangs_isGivenUpAfterTheLongestRun() {
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
    default void clockThatStepsBack_stealsNoLease_andLosesNothing() {
        Call call = call("k");
        Outcome outcome = newOnce().leased(call, IfAbandoned.RERUN, lease -> {
            time().setClock(time().instant().minus(Duration.ofDays(1)));
            assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.InProgress.class);
            time().advance(SETTINGS.lease().multipliedBy(2));
            assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.InProgress.class);
            return Response.of("done");
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        OnceRecord record = Objects.requireNonNull(stored(call));
        assertThat(record.deadline()).isEqualTo(time().instant().plus(SETTINGS.retention()));
        assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.Replayed.class);
    }

    /** Hears of completions that were refused. */
    final class Refusals implements OnceListener {
        private final List<Long> refused = new ArrayList<>();

        @Override
        public void completionRefused(OnceKey key, long fence) {
            refused.add(fence);
        }
    }
}
