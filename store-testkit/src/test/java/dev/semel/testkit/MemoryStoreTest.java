package dev.semel.testkit;

import static dev.semel.testkit.DocumentFixture.commitOf;
import static dev.semel.testkit.DocumentFixture.id;
import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.memory.MemoryStore;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.Outcome;
import dev.semel.store.Document;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the memory store promises beyond the contract: its size is bounded. */
class MemoryStoreTest {

    private static final int BYTES = 100_000;

    private final ControlledTime time = new ControlledTime();
    private final MemoryStore store = new MemoryStore(time, BYTES);
    private final Once once = new Once(store, time, StoreFixture.SETTINGS, OnceListener.NONE);

    private Document document(String key, int size, @Nullable Instant expiresAt) {
        Instant now = time.instant();
        return new Document(
                id(key),
                1,
                now,
                now,
                expiresAt,
                Json.of("\"" + "x".repeat(size - 2) + "\""),
                DocumentFixture.commitIdOf(1),
                0);
    }

    private CommitResult create(String key, int size, @Nullable Instant expiresAt) {
        return store.commit(commitOf("a-" + key, Map.of(id(key), 0L), document(key, size, expiresAt)));
    }

    private void fill() {
        for (int i = 0; i < 9; i++) {
            create("fill-" + i, 10_000, null);
        }
    }

    @Test
    void fullStore_rejectsNewDocuments_andKeepsTheOthers() {
        fill();
        assertThatThrownBy(() -> create("more", 10_000, null))
                .isInstanceOf(StoreException.class)
                .hasMessage("The memory store is full: its limit is 100000 bytes")
                .satisfies(e -> assertThat(((StoreException) e).isCertain()).isTrue());
        assertThat(store.read(id("more"))).isEmpty();
        for (int i = 0; i < 9; i++) {
            assertThat(store.read(id("fill-" + i))).isPresent();
        }
    }

    @Test
    void fullStore_returnsTheResultOfAnEarlierCommit() {
        fill();
        assertThat(create("fill-8", 10_000, null)).isInstanceOf(CommitResult.Applied.class);
    }

    @Test
    void fullStore_evictsExpiredDocuments() {
        for (int i = 0; i < 9; i++) {
            create("old-" + i, 10_000, time.instant().plusSeconds(10));
        }
        assertThatThrownBy(() -> create("new", 10_000, null)).isInstanceOf(StoreException.class);
        time.advance(Duration.ofSeconds(10));
        assertThat(create("new", 10_000, null)).isInstanceOf(CommitResult.Applied.class);
    }

    @Test
    void fullStore_evictsExpiredResponses_thenTombstones_butNoLeases() {
        Call abandoned = call("abandoned");
        once.leased(abandoned, IfAbandoned.RERUN, lease -> {
            Call done = call("done");
            once.atomic(done, tx -> Response.of("x".repeat(90_000)));
            time.advance(StoreFixture.SETTINGS.retention());
            assertThat(create("new", 50_000, null)).isInstanceOf(CommitResult.Applied.class);
            IdempotencyRecord tombstone =
                    Objects.requireNonNull(store.find(done.key()).record());
            assertThat(tombstone.isResponseDeleted()).isTrue();
            time.advance(StoreFixture.SETTINGS.tombstone());
            assertThatThrownBy(() -> create("newer", 50_000, null)).isInstanceOf(StoreException.class);
            assertThat(store.find(done.key()).record()).isNull();
            assertThat(store.find(abandoned.key()).record()).isNotNull();
            return Response.of("done");
        });
    }

    @Test
    void abandonedOperation_isNotEvicted() {
        Call call = call("k");
        IdempotencyRecord claim = IdempotencyRecord.builder(call.key(), "tx", call.fingerprint())
                .ifAbandoned(IfAbandoned.FREEZE)
                .build();
        store.compareAndSet(
                "claim",
                new IdempotencyWrite(
                        Precondition.ABSENT, claim, Duration.ofSeconds(30), Duration.ofDays(1), Quota.NONE));
        time.advance(Duration.ofDays(1000));
        fill();
        assertThatThrownBy(() -> create("more", 10_000, null)).isInstanceOf(StoreException.class);
        assertThat(store.find(call.key()).record()).isNotNull();
    }

    @Test
    void storeThatWasFull_evictsLater() {
        fill();
        assertThatThrownBy(() -> create("more", 10_000, null)).isInstanceOf(StoreException.class);
        for (int i = 0; i < 9; i++) {
            store.commit(new Commit(
                    "delete-" + i, null, Map.of(), List.of(new DocumentWrite.Delete(id("fill-" + i), List.of()))));
        }
        once.atomic(call("k"), tx -> Response.of("x".repeat(90_000)));
        time.advance(StoreFixture.SETTINGS.retention());
        assertThat(create("more", 50_000, null)).isInstanceOf(CommitResult.Applied.class);
    }

    @Test
    void fullStore_acceptsAWriteThatShrinksIt() {
        fill();
        assertThat(store.commit(new Commit(
                        "smaller",
                        null,
                        Map.of(id("fill-0"), DocumentFixture.commitIdOf(1)),
                        List.of(new DocumentWrite.Put(document("fill-0", 9_000, null), List.of())))))
                .isInstanceOf(CommitResult.Applied.class);
    }

    @Test
    void libraryWithDefaults_hasNoQuota() {
        try (MemoryStore large = new MemoryStore()) {
            Once library = Once.on(large);
            for (int i = 0; i < 1_001; i++) {
                assertThat(library.atomic(call("k" + i), tx -> Response.of("x")))
                        .isInstanceOf(Outcome.Executed.class);
            }
        }
    }

    @Test
    void quotaOfAnIdleUser_takesNoMemory() {
        Once limited = new Once(
                store,
                time,
                StoreFixture.SETTINGS
                        .withQuota(new Quota(10, Duration.ofHours(1)))
                        .withTombstone(Duration.ZERO),
                OnceListener.NONE);
        for (int i = 0; i < 5_000; i++) {
            Call call = Call.of(new IdempotencyKey("user-" + i, "POST /", "k"), Fingerprint.ofJson("1"));
            assertThat(limited.atomic(call, tx -> Response.of("x"))).isInstanceOf(Outcome.Executed.class);
            time.advance(Duration.ofMinutes(30)); // so that about forty-eight are stored at a time
        }
    }

    @Test
    void operationInProgress_completes_inAFullStore() {
        Call call = call("k");
        Outcome outcome = once.leased(call, IfAbandoned.RERUN, lease -> {
            fill();
            assertThatThrownBy(() -> create("more", 10_000, null)).isInstanceOf(StoreException.class);
            return Response.of("x".repeat(20_000));
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(once.leased(call, IfAbandoned.RERUN, lease -> Response.of("must not run")))
                .isInstanceOf(Outcome.Replayed.class);
    }

    @Test
    void operationInAFullStore_throws_andWritesNothing() {
        fill();
        assertThatThrownBy(() -> once.atomic(call("k"), tx -> Response.of("x".repeat(20_000))))
                .isInstanceOf(StoreException.class);
        assertThat(store.find(call("k").key()).record()).isNull();
    }

    @Test
    void deletedAndReplacedDocuments_freeMemory() {
        for (int i = 0; i < 100; i++) {
            assertThat(create("k" + i, 50_000, null)).isInstanceOf(CommitResult.Applied.class);
            store.commit(new Commit(
                    "replace-" + i,
                    null,
                    Map.of(id("k" + i), DocumentFixture.commitIdOf(1)),
                    List.of(new DocumentWrite.Put(document("k" + i, 10_000, null), List.of()))));
            store.commit(new Commit(
                    "delete-" + i, null, Map.of(), List.of(new DocumentWrite.Delete(id("k" + i), List.of()))));
        }
    }

    @Test
    void closedStore_throws() {
        store.close();
        assertThatThrownBy(() -> create("k", 10, null)).hasMessage("The store is closed");
        assertThatThrownBy(() -> store.read(id("k"))).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> store.scan(ScanContract.all(1))).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> once.atomic(call("k"), tx -> Response.of("x"))).isInstanceOf(StoreException.class);
    }
}
