package dev.semel.testkit;

import static dev.semel.testkit.DocumentFixture.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Json;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.Response;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Commits are atomic and serializable. */
public interface CommitContract extends DocumentFixture {

    /** Number of commits in a race, two to a pair. */
    int RACERS = 16;

    @Test
    default void documentThatWasCommitted_isReadAsItWasWritten() {
        Instant now = time().instant();
        Document document = new Document(
                id("a"),
                7,
                now,
                now.plusMillis(5),
                now.plusSeconds(60),
                Json.of("{\"b\" : [1.0, \"é\"]}"),
                DocumentFixture.commitIdOf(1),
                0);
        commit(Map.of(), document);
        assertThat(documents().read(id("a"))).contains(document);
        assertThat(documents().read(id("b"))).isEmpty();
    }

    @Test
    default void commit_whosePreconditionsHold_writesEverything() {
        commit(Map.of(id("a"), 0L), document("a", 1, "1"));
        CommitResult result = commit(Map.of(id("a"), 1L, id("b"), 0L), document("a", 2, "2"), document("b", 1, "3"));
        assertThat(result).isEqualTo(new CommitResult.Applied(null));
        assertThat(documents().read(id("a"))).map(Document::version).contains(2L);
        assertThat(documents().read(id("b"))).map(Document::version).contains(1L);
    }

    @Test
    default void commit_withAStaleVersion_writesNothing_andReturnsTheConflict() {
        commit(Map.of(), document("a", 3, "1"));
        assertThat(commit(Map.of(id("a"), 2L), document("a", 3, "2"), document("b", 1, "3")))
                .isEqualTo(new CommitResult.DocumentConflict(id("a"), 3));
        assertThat(documents().read(id("a"))).map(Document::data).contains(Json.of("1"));
        assertThat(documents().read(id("b"))).isEmpty();
    }

    @Test
    default void commit_thatExpectsAnExistingDocumentToBeAbsent_writesNothing() {
        commit(Map.of(), document("a", 1, "1"));
        assertThat(commit(Map.of(id("a"), 0L), document("a", 1, "2")))
                .isEqualTo(new CommitResult.DocumentConflict(id("a"), 1));
        assertThat(documents().read(id("a"))).map(Document::data).contains(Json.of("1"));
    }

    @Test
    default void commit_thatExpectsAnAbsentDocument_writesNothing() {
        assertThat(commit(Map.of(id("a"), 1L), document("a", 2, "2")))
                .isEqualTo(new CommitResult.DocumentConflict(id("a"), 0));
        assertThat(documents().read(id("a"))).isEmpty();
    }

    @Test
    default void commit_withAConflictingIdempotencyRecord_writesNoDocumentEither() {
        var call = StoreFixture.call("k");
        write(call, Precondition.ABSENT, Status.COMPLETED, null, Response.of("first"));
        CommitResult result = documents()
                .commit(new Commit(
                        transactions().newCommitId(),
                        idempotencyWrite(call, Precondition.ABSENT, 0, Status.COMPLETED, null, Response.of("second")),
                        Map.of(),
                        List.of(DocumentFixture.put(document("a", 1, "1")))));
        assertThat(result).isEqualTo(new CommitResult.RecordConflict());
        assertThat(documents().read(id("a"))).isEmpty();
        assertThat(stored(call)).extracting(record -> record.response()).isEqualTo(Response.of("first"));
    }

    @Test
    default void commit_withAStaleVersion_writesNoIdempotencyRecordEither() {
        var call = StoreFixture.call("k");
        CommitResult result = documents()
                .commit(new Commit(
                        transactions().newCommitId(),
                        idempotencyWrite(call, Precondition.ABSENT, 0, Status.COMPLETED, null, Response.of("done")),
                        Map.of(id("a"), DocumentFixture.commitIdOf(1)),
                        List.of(DocumentFixture.put(document("b", 1, "1")))));
        assertThat(result).isEqualTo(new CommitResult.DocumentConflict(id("a"), 0));
        assertThat(stored(call)).isNull();
        assertThat(documents().read(id("b"))).isEmpty();
    }

    /** A reader that finds the idempotency record of an operation also finds its effect. */
    @Test
    default void readerOfARecord_seesTheDocumentOfTheSameCommit() throws Exception {
        var threads = Executors.newFixedThreadPool(1);
        try {
            int keys = 500;
            Future<?> writing = threads.submit(() -> {
                var once = newOnce();
                for (int i = 0; i < keys; i++) {
                    Document document = document("k" + i, 1, "1");
                    once.atomic(StoreFixture.call("k" + i), tx -> {
                        tx.expectAbsent(document.id());
                        tx.put(document, List.of());
                        return Response.of("done");
                    });
                }
            });
            for (int i = 0; i < keys; i++) {
                while (stored(StoreFixture.call("k" + i)) == null && !writing.isDone()) {
                    Thread.onSpinWait();
                }
                assertThat(documents().read(id("k" + i))).isPresent();
            }
            writing.get();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    default void deletedDocument_isAbsent_andCanBeCreatedAgain() {
        commit(Map.of(), document("a", 1, "1"));
        documents()
                .commit(new Commit(
                        transactions().newCommitId(),
                        null,
                        Map.of(id("a"), DocumentFixture.commitIdOf(1)),
                        List.of(new DocumentWrite.Delete(id("a"), List.of()))));
        assertThat(documents().read(id("a"))).isEmpty();
        assertThat(commit(Map.of(id("a"), 0L), document("a", 1, "2"))).isInstanceOf(CommitResult.Applied.class);
    }

    @Test
    default void expiredDocument_countsAsAbsent() {
        Instant now = time().instant();
        commit(
                Map.of(),
                new Document(
                        id("a"), 4, now, now, now.plusSeconds(60), Json.of("1"), DocumentFixture.commitIdOf(4), 0));
        time().advance(Duration.ofSeconds(59));
        assertThat(documents().read(id("a"))).isPresent();
        time().advance(Duration.ofSeconds(1));
        assertThat(documents().read(id("a"))).isEmpty();
        assertThat(commit(Map.of(id("a"), 4L))).isEqualTo(new CommitResult.DocumentConflict(id("a"), 0));
        assertThat(commit(Map.of(id("a"), 0L), document("a", 1, "2"))).isInstanceOf(CommitResult.Applied.class);
    }

    /** Each commit writes both documents. A reader of the first and then the second never sees an older version of the second. */
    @Test
    default void readerOfOneWriteOfACommit_seesTheOther() throws Exception {
        commit(Map.of(), document("a", 1, "1"), document("b", 1, "1"));
        var threads = Executors.newFixedThreadPool(2);
        try {
            Future<?> writing = threads.submit(() -> {
                for (long version = 1; version < 500; version++) {
                    commit(
                            Map.of(id("a"), version, id("b"), version),
                            document("a", version + 1, "1"),
                            document("b", version + 1, "1"));
                }
            });
            while (!writing.isDone()) {
                long seen = documents().read(id("a")).orElseThrow().version();
                assertThat(documents().read(id("b")).orElseThrow().version()).isGreaterThanOrEqualTo(seen);
                List<Document> both = documents().scan(ScanContract.all(10));
                assertThat(both.get(0).version()).isEqualTo(both.get(1).version());
            }
            writing.get();
        } finally {
            threads.shutdownNow();
        }
        assertThat(documents().read(id("b")).orElseThrow().version()).isEqualTo(500);
    }

    /** Each commit of a pair writes the document that the other one only checks. In any order, the second is in conflict. */
    @Test
    default void oneOfTwoCommits_thatCheckWhatTheOtherWrites_isInConflict() throws Exception {
        for (int round = 0; round < CompareAndSetContract.RACES; round++) {
            List<Commit> commits = new ArrayList<>();
            for (int i = 0; i < RACERS; i++) {
                String own = round + "-" + i;
                String other = round + "-" + (i ^ 1);
                commit(Map.of(), document(own, 1, "1"));
                commits.add(DocumentFixture.commitOf(
                        newCommitId(), Map.of(id(own), 1L, id(other), 1L), document(own, 2, "2")));
            }
            assertOneOfEachPairIsApplied(commits);
        }
    }

    /** The first of each pair starts a key and creates a document if another is unchanged. The second changes that one. */
    @Test
    default void newKeyThatChecksADocument_isInConflictWithItsWriter() throws Exception {
        for (int round = 0; round < CompareAndSetContract.RACES; round++) {
            List<Commit> commits = new ArrayList<>();
            for (int i = 0; i < RACERS; i += 2) {
                String created = "new" + round + "-" + i;
                String changed = "old" + round + "-" + i;
                commit(Map.of(), document(changed, 1, "1"));
                Map<DocumentId, Long> unchanged = Map.of(id(created), 0L, id(changed), 1L);
                Commit creation = DocumentFixture.commitOf(newCommitId(), unchanged, document(created, 1, "1"));
                var call = StoreFixture.call(created);
                commits.add(new Commit(
                        creation.id(),
                        idempotencyWrite(call, Precondition.ABSENT, 0, Status.COMPLETED, null, Response.of("done")),
                        creation.preconditions(),
                        creation.writes()));
                commits.add(DocumentFixture.commitOf(newCommitId(), unchanged, document(changed, 2, "2")));
            }
            assertOneOfEachPairIsApplied(commits);
        }
    }

    private void assertOneOfEachPairIsApplied(List<Commit> commits) throws Exception {
        CyclicBarrier together = new CyclicBarrier(commits.size());
        ExecutorService threads = Executors.newFixedThreadPool(commits.size());
        try {
            List<Future<CommitResult>> results = new ArrayList<>();
            for (Commit commit : commits) {
                results.add(threads.submit(() -> {
                    together.await();
                    return documents().commit(commit);
                }));
            }
            for (int i = 0; i < results.size(); i += 2) {
                assertThat(List.of(results.get(i).get(), results.get(i + 1).get()))
                        .hasAtLeastOneElementOfType(CommitResult.Applied.class)
                        .hasAtLeastOneElementOfType(CommitResult.DocumentConflict.class);
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
