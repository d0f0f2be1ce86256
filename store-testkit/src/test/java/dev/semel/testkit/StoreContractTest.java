package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.semel.store.Capability;
import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.MemoryStore;
import dev.semel.store.Scan;
import dev.semel.store.Store;
import dev.semel.store.Time;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;

/** The suite itself: it tells broken stores, and skips what a store does not claim to do. */
class StoreContractTest {

    private static Events run(Class<?> suite) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(suite))
                .execute()
                .testEvents();
    }

    private static Set<String> names(Events events) {
        return events.stream()
                .map(Event::getTestDescriptor)
                .map(test -> test.getDisplayName().replace("()", ""))
                .collect(Collectors.toSet());
    }

    @Test
    void storeWithoutAFence_isTold() {
        assertThat(names(run(WithoutFence.class).failed()))
                .contains(
                        "lateOwner_isRefused_andGetsTheAnswerOfTheOneWhoTookOver",
                        "lateOwner_ofAFrozenOperation_isRefused",
                        "lateFailure_doesNotUndoWhatAnotherCompleted");
    }

    @Test
    void storeThatReadsAndThenWrites_isTold() {
        assertThat(names(run(ReadingAndThenWriting.class).failed()))
                .contains("atomicRace_hasOneEffectForEachKey", "leasedRace_runsEachKeyOnce");
    }

    @Test
    void storeThatSplitsCommits_isTold() {
        assertThat(names(run(SplittingCommits.class).failed()))
                .contains(
                        "manyThreadsThatCountInOneDocument_loseNoUpdate",
                        "commit_withAStaleVersion_writesNoOnceRecordEither");
    }

    @Test
    void storeWithoutMemoryOfAttempts_isTold() {
        assertThat(names(run(WithoutMemoryOfAttempts.class).failed()))
                .contains("sameAttempt_isAppliedOnce", "sameClaim_isGrantedOnce_withTheSameFence");
    }

    @Test
    void storeThatCanOnlyLease_isTestedForThat_andTheRestIsSkipped() {
        Events events = run(LeasesOnly.class);
        assertThat(names(events.failed())).isEmpty();
        assertThat(names(events.aborted()))
                .contains("atomicRace_hasOneEffectForEachKey", "commit_whosePreconditionsHold_writesEverything")
                .doesNotContain("leasedRace_runsEachKeyOnce", "completed_same_isReplayed");
        assertThat(names(events.succeeded())).contains("leasedRace_runsEachKeyOnce", "completed_same_isReplayed");
    }

    static class WithoutFence extends StoreContract {
        @Override
        protected Store open(Time time) {
            return BrokenStore.withoutFence(new MemoryStore(time, 1L << 30));
        }
    }

    static class ReadingAndThenWriting extends StoreContract {
        @Override
        protected Store open(Time time) {
            return BrokenStore.thatReadsAndThenWrites(new MemoryStore(time, 1L << 30));
        }
    }

    static class SplittingCommits extends StoreContract {
        @Override
        protected Store open(Time time) {
            return BrokenStore.thatSplitsCommits(new MemoryStore(time, 1L << 30));
        }
    }

    static class WithoutMemoryOfAttempts extends StoreContract {
        @Override
        protected Store open(Time time) {
            return BrokenStore.withoutMemoryOfAttempts(new MemoryStore(time, 1L << 30));
        }
    }

    static class LeasesOnly extends StoreContract {
        @Override
        protected Store open(Time time) {
            return new LeaseStore(new MemoryStore(time, 1L << 30));
        }
    }

    /** Can do what every store can, and no more. */
    private static final class LeaseStore extends ForwardingStore {

        LeaseStore(Store store) {
            super(store);
        }

        @Override
        public Set<Capability> capabilities() {
            return Set.of(Capability.LEASE);
        }

        @Override
        public CommitResult commit(Commit commit) {
            if (commit.once() == null
                    || !commit.writers().isEmpty()
                    || !commit.writes().isEmpty()) {
                throw new UnsupportedOperationException("documents");
            }
            return super.commit(commit);
        }

        @Override
        public Optional<Document> read(DocumentId id) {
            throw new UnsupportedOperationException("documents");
        }

        @Override
        public List<Document> scan(Scan scan) {
            throw new UnsupportedOperationException("documents");
        }
    }
}
