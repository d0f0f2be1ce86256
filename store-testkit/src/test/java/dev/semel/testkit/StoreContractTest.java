package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.semel.memory.MemoryStore;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Time;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.DocumentStore.Scan;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import dev.semel.store.spi.OnceStore;
import dev.semel.store.spi.OnceStore.Lookup;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;

/** Tests the suite: it rejects broken stores, and skips the tests of interfaces that a store does not implement. */
class StoreContractTest {

    private static Events run(DiscoverySelector... tests) {
        return EngineTestKit.engine("junit-jupiter").selectors(tests).execute().testEvents();
    }

    /** Runs tests of the suite, and asserts that all of them fail. */
    private static void assertRejected(Class<?> suite, String... tests) {
        Events events =
                run(Arrays.stream(tests).map(test -> selectMethod(suite, test)).toArray(DiscoverySelector[]::new));
        assertThat(names(events.failed())).containsExactlyInAnyOrder(tests);
    }

    /** Returns the names of tests, with the mode of parameterized ones. */
    private static Set<String> names(Events events) {
        return events.stream()
                .map(Event::getTestDescriptor)
                .map(StoreContractTest::name)
                .collect(Collectors.toSet());
    }

    private static String name(TestDescriptor test) {
        MethodSource method = (MethodSource) test.getSource().orElseThrow();
        String display = test.getDisplayName();
        return display.startsWith("[") ? method.getMethodName() + display : method.getMethodName();
    }

    @Test
    void storeOfRecordsAlone_runsItsSuite_andTheOthersAreSkipped() {
        Events events = run(selectClass(RecordsAlone.class));
        assertThat(names(events.failed())).isEmpty();
        assertThat(names(events.succeeded()))
                .contains(
                        "completedRecord_isReadAsItWasWritten",
                        "completed_same_isReplayed[2] mode=LEASED",
                        "firstToken_isAtLeastTheClockInMicroseconds",
                        "lateOwner_isRejected_andGetsTheResponseOfTheNewOwner",
                        "leasedRace_runsEachKeyOnce");
        assertThat(names(events.aborted()))
                .contains(
                        "completed_same_isReplayed[1] mode=ATOMIC",
                        "atomicRace_hasOneEffectForEachKey",
                        "commit_whosePreconditionsHold_writesEverything",
                        "documents_areFoundInCommitOrder_fromBothEnds",
                        "keysBeyondTheQuota_areLimited_untilTheOldestIsAnHourAgo[2] mode=LEASED",
                        "expiredKey_leavesATombstone_whichIsPurgedLater[2] mode=LEASED",
                        "token_rises_afterTheUserWasErased");
        assertThat(events.aborted().stream()
                        .map(event -> event.getRequiredPayload(TestExecutionResult.class)
                                .getThrowable()
                                .map(Throwable::getMessage)
                                .orElse("")))
                .contains(
                        "Assumption failed: The store does not implement DocumentStore",
                        "Assumption failed: The store does not support the mode ATOMIC");
    }

    @Test
    void storeOfDocumentsAlone_runsTheirSuite_andTheOthersAreSkipped() {
        Events events = run(selectClass(DocumentsAlone.class));
        assertThat(names(events.failed())).isEmpty();
        assertThat(names(events.succeeded()))
                .contains(
                        "completed_same_isReplayed[1] mode=ATOMIC",
                        "atomicRace_hasOneEffectForEachKey",
                        "commit_whosePreconditionsHold_writesEverything");
        assertThat(names(events.aborted()))
                .contains(
                        "documents_areFoundInCommitOrder_fromBothEnds", "erasedUser_hasNoDocuments_ifTheyAreErasedToo");
    }

    @Test
    void storeThatIgnoresPreconditions_isRejected() {
        assertRejected(
                IgnoringPreconditions.class,
                "claim_ofARecordThatAnotherHasClaimedMeanwhile_conflicts",
                "writeByAnOwnerWithALowerFencingToken_conflicts",
                "racingWrites_ofOneKey_haveOneWinner");
    }

    @Test
    void storeThatIgnoresDeadlines_isRejected() {
        assertRejected(IgnoringDeadlines.class, "claim_ofALeaseThatWasRenewedMeanwhile_conflicts");
    }

    @Test
    void storeWhoseFencingTokensStartAgainAfterAPurge_isRejected() {
        assertRejected(
                CountingFromOne.class,
                "firstToken_isAtLeastTheClockInMicroseconds",
                "token_followsTheClock_fromStartToStart");
    }

    @Test
    void storeWhoseFencingTokensStartAgain_isRejected() {
        assertRejected(
                StartingAgain.class,
                "token_rises_afterTheRecordWasPurged",
                "token_rises_afterTheUserWasErased",
                "firstToken_isAtLeastTheClockInMicroseconds");
    }

    @Test
    void storeWhoseFencingTokensAreItsClock_isRejected() {
        assertRejected(
                TakingTheClock.class,
                "token_risesWithEveryStart_whileTheClockStandsStill",
                "token_risesWithEveryStart_whenTheClockIsSetBack");
    }

    @Test
    void storeThatKeepsTheTimesOfTheCaller_isRejected() {
        assertRejected(KeepingTheCallersTime.class, "times_areThoseOfTheStoreAtTheCommit");
    }

    @Test
    void storeOfRecordsThatForgetsCommitIds_isRejected() {
        assertRejected(
                ForgettingCommitIdsOfRecords.class,
                "sameCommitId_ofAClaim_returnsTheSameRecord_andAnotherConflicts",
                "sameCommitId_ofACompletion_returnsTheSameRecord_andAnotherConflicts");
    }

    @Test
    void storeWithoutFencing_isRejected() {
        assertRejected(
                WithoutFencing.class,
                "lateOwner_isRejected_andGetsTheResponseOfTheNewOwner",
                "lateOwner_ofAFrozenOperation_isRejected",
                "lateFailure_doesNotUndoWhatAnotherCompleted");
    }

    @Test
    void storeThatReadsAndThenWrites_isRejected() {
        assertRejected(ReadingAndThenWriting.class, "atomicRace_hasOneEffectForEachKey", "leasedRace_runsEachKeyOnce");
    }

    @Test
    void storeThatComparesBeforeAnUnconditionalWrite_isRejected() {
        assertRejected(
                ComparingBeforeWriting.class,
                "racingTakeovers_ofOneKey_haveOneWinner",
                "renewalThatRacesWithTakeovers_hasOneWinner");
    }

    @Test
    void storeThatRoundsTimes_isRejected() {
        assertRejected(RoundingTimes.class, "times_areKeptToTheMicrosecond");
    }

    @Test
    void storeThatForgetsTheCause_isRejected() {
        assertRejected(
                ForgettingTheCause.class,
                "failedRecord_isReadWithItsOutcomeAndCause",
                "causeOfAnyText_isKeptAsOneShortLine",
                "leasedOperation_thatIsNotRecorded_showsWhy",
                "keyThatAnOperatorChanged_showsIt");
    }

    @Test
    void storeThatForgetsTheOutcomeWithoutAResponse_isRejected() {
        assertRejected(ForgettingTheOutcome.class, "failedRecord_isReadWithItsOutcomeAndCause");
    }

    @Test
    void storeThatFoldsCase_isRejected() {
        assertRejected(FoldingCase.class, "keysThatDifferInCaseOrInTheirEnd_areDifferent");
    }

    @Test
    void storeThatSplitsCommits_isRejected() {
        assertRejected(
                SplittingCommits.class,
                "manyThreadsThatCountInOneDocument_loseNoUpdate",
                "commit_withAStaleVersion_writesNoIdempotencyRecordEither");
    }

    @Test
    void storeThatForgetsCommitIds_isRejected() {
        assertRejected(
                ForgettingCommitIds.class,
                "sameCommitId_isAppliedOnce",
                "sameCommitId_ofAClaim_returnsTheSameRecord_andAnotherConflicts");
    }

    static class RecordsAlone extends StoreContract {
        @Override
        protected OnceStore open(Time time) {
            return new MapStore(time);
        }
    }

    static class DocumentsAlone extends StoreContract {
        @Override
        protected OnceStore open(Time time) {
            return new DocumentsOf(new MemoryStore(time, 1L << 30));
        }
    }

    static class IgnoringPreconditions extends StoreContract {
        @Override
        protected OnceStore open(Time time) {
            return new MapStore(time) {
                @Override
                boolean isMet(IdempotencyWrite write, @Nullable IdempotencyRecord current) {
                    return true;
                }
            };
        }
    }

    /** Updates with no condition except the key. */
    static class ComparingBeforeWriting extends StoreContract {
        @Override
        protected OnceStore open(Time time) {
            return new MapStore(time) {
                private final ThreadLocal<Boolean> compared = ThreadLocal.withInitial(() -> false);

                @Override
                @SuppressWarnings("UnsynchronizedOverridesSynchronized") // the bug
                public CommitResult compareAndSet(String commitId, IdempotencyWrite write) {
                    IdempotencyRecord current = find(write.record().key()).record();
                    if (!write.precondition().isMetBy(current)) {
                        return super.compareAndSet(commitId, write);
                    }
                    compared.set(current != null); // inserts are unique
                    LockSupport.parkNanos(100_000); // a round trip to a database
                    try {
                        return super.compareAndSet(commitId, write);
                    } finally {
                        compared.remove();
                    }
                }

                @Override
                boolean isMet(IdempotencyWrite write, @Nullable IdempotencyRecord current) {
                    return compared.get() || super.isMet(write, current);
                }
            };
        }
    }

    static class RoundingTimes extends StoreContract {
        @Override
        protected OnceStore open(Time time) {
            return new MapStore(time) {
                @Override
                IdempotencyRecord stamp(String commitId, IdempotencyWrite write, Instant now) {
                    return super.stamp(commitId, write, now.truncatedTo(ChronoUnit.MILLIS));
                }
            };
        }
    }

    static class ForgettingTheCause extends StoreContract {
        @Override
        protected OnceStore open(Time time) {
            return new MapStore(time) {
                @Override
                IdempotencyRecord stamp(String commitId, IdempotencyWrite write, Instant now) {
                    return super.stamp(commitId, write, now).toBuilder()
                            .cause(null)
                            .build();
                }
            };
        }
    }

    static class ForgettingTheOutcome extends StoreContract {
        @Override
        protected OnceStore open(Time time) {
            return new MapStore(time) {
                @Override
                IdempotencyRecord stamp(String commitId, IdempotencyWrite write, Instant now) {
                    return super.stamp(commitId, write, now).toBuilder()
                            .outcome(null)
                            .build();
                }
            };
        }
    }

    static class FoldingCase extends StoreContract {
        @Override
        protected OnceStore open(Time time) {
            return new MapStore(time) {
                @Override
                IdempotencyKey indexed(IdempotencyKey key) {
                    return new IdempotencyKey(key.user().toLowerCase(Locale.ROOT), key.endpoint(), key.key());
                }
            };
        }
    }

    static class IgnoringDeadlines extends StoreContract {
        @Override
        protected OnceStore open(Time time) {
            return new MapStore(time) {
                @Override
                boolean isMet(IdempotencyWrite write, @Nullable IdempotencyRecord current) {
                    Precondition precondition = write.precondition();
                    return new Precondition(precondition.fencingToken(), precondition.status(), null).isMetBy(current);
                }
            };
        }
    }

    /** The first token of a key is 1, even if the key had higher tokens before its record was deleted. */
    static class CountingFromOne extends StoreContract {
        @Override
        protected OnceStore open(Time time) {
            return new MapStore(time) {
                @Override
                IdempotencyRecord stamp(String commitId, IdempotencyWrite write, Instant now) {
                    long token = write.precondition().fencingToken() + 1;
                    boolean starts = write.record().fencingToken() == 0;
                    IdempotencyRecord stamped = super.stamp(commitId, write, now);
                    return starts ? stamped.toBuilder().fencingToken(token).build() : stamped;
                }
            };
        }
    }

    static class StartingAgain extends StoreContract {
        @Override
        protected OnceStore open(Time time) {
            return BrokenStore.whoseFencingTokensStartAgain(new MemoryStore(time, 1L << 30));
        }
    }

    static class TakingTheClock extends StoreContract {
        @Override
        protected OnceStore open(Time time) {
            return new MapStore(time) {
                @Override
                IdempotencyRecord stamp(String commitId, IdempotencyWrite write, Instant now) {
                    IdempotencyRecord stamped = super.stamp(commitId, write, now);
                    boolean starts = write.record().fencingToken() == 0;
                    long clock = ChronoUnit.MICROS.between(Instant.EPOCH, now);
                    return starts ? stamped.toBuilder().fencingToken(clock).build() : stamped;
                }
            };
        }
    }

    static class KeepingTheCallersTime extends StoreContract {
        @Override
        protected OnceStore open(Time time) {
            return new MapStore(time) {
                @Override
                IdempotencyRecord stamp(String commitId, IdempotencyWrite write, Instant now) {
                    return super.stamp(commitId, write, write.record().createdAt());
                }
            };
        }
    }

    static class ForgettingCommitIdsOfRecords extends StoreContract {
        @Override
        protected OnceStore open(Time time) {
            return new MapStore(time) {
                @Override
                boolean isSameCommit(String commitId, IdempotencyRecord current) {
                    return false;
                }
            };
        }
    }

    static class WithoutFencing extends StoreContract {
        @Override
        protected OnceStore open(Time time) {
            return BrokenStore.withoutFencing(new MemoryStore(time, 1L << 30));
        }
    }

    static class ReadingAndThenWriting extends StoreContract {
        @Override
        protected OnceStore open(Time time) {
            return BrokenStore.thatReadsAndThenWrites(new MemoryStore(time, 1L << 30));
        }
    }

    static class SplittingCommits extends StoreContract {
        @Override
        protected OnceStore open(Time time) {
            return BrokenStore.thatSplitsCommits(new MemoryStore(time, 1L << 30));
        }
    }

    static class ForgettingCommitIds extends StoreContract {
        @Override
        protected OnceStore open(Time time) {
            return BrokenStore.thatForgetsCommitIds(new MemoryStore(time, 1L << 30));
        }
    }

    /** A document store that implements no other interfaces. */
    private record DocumentsOf(MemoryStore store) implements DocumentStore {

        @Override
        public InstantSource clock() {
            return store.clock();
        }

        @Override
        public Lookup find(IdempotencyKey key) {
            return store.find(key);
        }

        @Override
        public CommitResult commit(Commit commit) {
            return store.commit(commit);
        }

        @Override
        public Optional<Document> read(DocumentId id) {
            return store.read(id);
        }

        @Override
        public List<Document> scan(Scan scan) {
            return store.scan(scan);
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
