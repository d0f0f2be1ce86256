package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Json;
import dev.semel.store.Capability;
import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.Document;
import dev.semel.store.DocumentWrite;
import dev.semel.store.Expected;
import dev.semel.store.OnceStatus;
import dev.semel.store.Response;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Commits are all or nothing, one after another. */
public interface CommitContract extends StoreFixture {

    @Test
    default void documentThatWasCommitted_isReadAsItWasWritten() {
        needs(Capability.COMMIT);
        Instant now = time().instant();
        Document document = new Document(
                id("a"),
                7,
                now,
                now.plusMillis(5),
                now.plusSeconds(60),
                Json.of("{\"b\" : [1.0, \"é\"]}"),
                StoreFixture.writer(1));
        commit(Map.of(), document);
        assertThat(store().read(id("a"))).contains(document);
        assertThat(store().read(id("b"))).isEmpty();
    }

    @Test
    default void commit_whosePreconditionsHold_writesEverything() {
        needs(Capability.COMMIT);
        commit(Map.of(id("a"), 0L), document("a", 1, "1"));
        CommitResult result = commit(Map.of(id("a"), 1L, id("b"), 0L), document("a", 2, "2"), document("b", 1, "3"));
        assertThat(result).isEqualTo(new CommitResult.Applied(null));
        assertThat(store().read(id("a"))).map(Document::version).contains(2L);
        assertThat(store().read(id("b"))).map(Document::version).contains(1L);
    }

    @Test
    default void commit_withAStaleVersion_writesNothingAndSaysWhich() {
        needs(Capability.COMMIT);
        commit(Map.of(), document("a", 3, "1"));
        assertThat(commit(Map.of(id("a"), 2L), document("a", 3, "2"), document("b", 1, "3")))
                .isEqualTo(new CommitResult.Stale(id("a"), 3));
        assertThat(store().read(id("a"))).map(Document::data).contains(Json.of("1"));
        assertThat(store().read(id("b"))).isEmpty();
    }

    @Test
    default void commit_thatExpectsAbsenceOfWhatIsThere_writesNothing() {
        needs(Capability.COMMIT);
        commit(Map.of(), document("a", 1, "1"));
        assertThat(commit(Map.of(id("a"), 0L), document("a", 1, "2"))).isEqualTo(new CommitResult.Stale(id("a"), 1));
        assertThat(store().read(id("a"))).map(Document::data).contains(Json.of("1"));
    }

    @Test
    default void commit_thatExpectsWhatIsNotThere_writesNothing() {
        needs(Capability.COMMIT);
        assertThat(commit(Map.of(id("a"), 1L), document("a", 2, "2"))).isEqualTo(new CommitResult.Stale(id("a"), 0));
        assertThat(store().read(id("a"))).isEmpty();
    }

    @Test
    default void commit_whoseOnceRecordStandsOtherwise_writesNoDocumentEither() {
        needs(Capability.COMMIT);
        var call = StoreFixture.call("k");
        write(call, Expected.ABSENT, OnceStatus.COMPLETED, null, Response.of("first"));
        CommitResult result = store().commit(new Commit(
                transactions().newAttempt(),
                onceWrite(call, Expected.ABSENT, 0, OnceStatus.COMPLETED, null, Response.of("second")),
                Map.of(),
                List.of(StoreFixture.put(document("a", 1, "1")))));
        assertThat(result).isEqualTo(new CommitResult.OnceChanged());
        assertThat(store().read(id("a"))).isEmpty();
        assertThat(stored(call)).extracting(record -> record.response()).isEqualTo(Response.of("first"));
    }

    @Test
    default void commit_withAStaleVersion_writesNoOnceRecordEither() {
        needs(Capability.COMMIT);
        var call = StoreFixture.call("k");
        CommitResult result = store().commit(new Commit(
                transactions().newAttempt(),
                onceWrite(call, Expected.ABSENT, 0, OnceStatus.COMPLETED, null, Response.of("done")),
                Map.of(id("a"), StoreFixture.writer(1)),
                List.of(StoreFixture.put(document("b", 1, "1")))));
        assertThat(result).isEqualTo(new CommitResult.Stale(id("a"), 0));
        assertThat(stored(call)).isNull();
        assertThat(store().read(id("b"))).isEmpty();
    }

    /** While others write, whoever finds the record of an operation finds its effect. */
    @Test
    default void whoSeesTheRecordOfAnOperation_seesItsDocument() throws Exception {
        needs(Capability.COMMIT);
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
                assertThat(store().read(id("k" + i))).isPresent();
            }
            writing.get();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    default void onceRecord_isReadAsItWasWritten() {
        var call = StoreFixture.call("k").withClientTxId("tx-1");
        Response response = Response.of(201, Map.of("Location", "/payments/1"), new byte[] {0, -1, 10});
        var written = write(call, Expected.ABSENT, OnceStatus.COMPLETED, null, response);
        assertThat(stored(call)).isEqualTo(written);
        assertThat(written.key()).isEqualTo(call.key());
        assertThat(written.clientTxId()).isEqualTo("tx-1");
        assertThat(written.fingerprint()).isEqualTo(call.fingerprint());
        assertThat(written.response()).isEqualTo(response);
        assertThat(written.createdAt()).isEqualTo(time().instant());
        assertThat(written.deadline()).isEqualTo(time().instant().plus(SETTINGS.retention()));
    }

    @Test
    default void deletedDocument_isGone_andCanBeCreatedAnew() {
        needs(Capability.COMMIT);
        commit(Map.of(), document("a", 1, "1"));
        store().commit(new Commit(
                transactions().newAttempt(),
                null,
                Map.of(id("a"), StoreFixture.writer(1)),
                List.of(new DocumentWrite.Delete(id("a"), List.of()))));
        assertThat(store().read(id("a"))).isEmpty();
        assertThat(commit(Map.of(id("a"), 0L), document("a", 1, "2"))).isInstanceOf(CommitResult.Applied.class);
    }

    @Test
    default void expiredDocument_countsAsAbsent() {
        needs(Capability.COMMIT);
        Instant now = time().instant();
        commit(Map.of(), new Document(id("a"), 4, now, now, now.plusSeconds(60), Json.of("1"), StoreFixture.writer(4)));
        time().advance(Duration.ofSeconds(59));
        assertThat(store().read(id("a"))).isPresent();
        time().advance(Duration.ofSeconds(1));
        assertThat(store().read(id("a"))).isEmpty();
        assertThat(commit(Map.of(id("a"), 4L))).isEqualTo(new CommitResult.Stale(id("a"), 0));
        assertThat(commit(Map.of(id("a"), 0L), document("a", 1, "2"))).isInstanceOf(CommitResult.Applied.class);
    }

    @Test
    default void fences_riseWithEveryStart_acrossKeys() {
        long first = write(StoreFixture.call("a"), Expected.ABSENT, OnceStatus.FAILED, null, null)
                .fence();
        long second = write(StoreFixture.call("b"), Expected.ABSENT, OnceStatus.FAILED, null, null)
                .fence();
        assertThat(first).isPositive();
        assertThat(second).isGreaterThan(first);
    }

    /** Two documents are always written together, and by several threads; who reads the first and then the second never goes back. */
    @Test
    default void whoSeesOneWriteOfACommit_seesTheOther() throws Exception {
        needs(Capability.COMMIT);
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
                long seen = store().read(id("a")).orElseThrow().version();
                assertThat(store().read(id("b")).orElseThrow().version()).isGreaterThanOrEqualTo(seen);
                List<Document> both = store().scan(ScanContract.all(10));
                if (store().capabilities().contains(Capability.SCAN)) {
                    assertThat(both.get(0).version()).isEqualTo(both.get(1).version());
                }
            }
            writing.get();
        } finally {
            threads.shutdownNow();
        }
        assertThat(store().read(id("b")).orElseThrow().version()).isEqualTo(500);
    }
}
