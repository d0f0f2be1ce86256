package dev.semel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.Transaction;
import dev.semel.document.Transactions;
import dev.semel.json.Json;
import dev.semel.outbox.EntryStore.Queued;
import dev.semel.outbox.Outbox.Page;
import dev.semel.outbox.Outbox.Query;
import dev.semel.outbox.OutboxEntry.Status;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.Time;
import dev.semel.testkit.ControlledTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What the tests of an outbox on any store have in common. */
interface OutboxFixture {

    Duration KEEP = Duration.ofDays(7);

    /** Returns the store, which counts what is read, and whose time is {@link #time}. */
    CountingStore store();

    ControlledTime time();

    /** Returns the name of this test's outbox: tests may share a store. */
    String name();

    /** Returns a new object on the outbox of this test. */
    default Outbox outbox() {
        return Outbox.on(store(), name(), KEEP, Time.system());
    }

    static OutboxRequest request(String operation) {
        return OutboxRequest.post("/v1/feed/posts").operation(operation).json("{\"text\":\"hello\"}");
    }

    static OutboxRequest request(String operation, String lane) {
        return request(operation).lane(lane);
    }

    /** Adds entries with operations n0, n1 and so on, in one transaction. */
    default List<OutboxEntry> addAll(int count, IntFunction<String> lane) {
        Outbox outbox = outbox();
        return new Transactions(store(), Time.system())
                .run(tx -> IntStream.range(0, count)
                        .mapToObj(i -> outbox.add(tx, request("n" + i, lane.apply(i))))
                        .toList());
    }

    /** The right to send, which no other has in these tests. */
    EntryStore.Claim CLAIM = new EntryStore.Claim() {
        @Override
        public boolean isHeld(Transaction tx) {
            return true;
        }

        @Override
        public void release(Transaction tx) {}
    };

    /** Returns an entry as a processor reads it; empty if it is not in the queue. */
    private Optional<Queued> read(OutboxEntry entry) {
        return store().read(queued(entry))
                .map(document -> new Queued(outbox().entries().entry(document), document));
    }

    /** Stores a changed entry, as a processor does. Returns false if it is not in the queue any more. */
    default boolean update(OutboxEntry changed) {
        Optional<Queued> current = read(changed);
        return current.isPresent() && outbox().entries().update(CLAIM, current.get(), changed);
    }

    /** Moves an entry to the confirmed ones, as a processor does. */
    default void confirm(OutboxEntry entry) {
        OutboxEntry confirmed = with(entry, Status.CONFIRMED, 0, null, null, new OutboxEntry.Response(201, "{}"));
        assertThat(outbox().entries().confirm(CLAIM, read(entry).orElseThrow(), confirmed, true))
                .isTrue();
    }

    /** Lets an entry fail, as a processor does. */
    default OutboxEntry fail(OutboxEntry entry, Reason reason) {
        OutboxEntry failed = with(
                entry, Status.FAILED, 3, time().instant(), reason, new OutboxEntry.Response(400, "{\"status\":400}"));
        assertThat(update(failed)).isTrue();
        return failed;
    }

    static OutboxEntry with(
            OutboxEntry entry,
            Status status,
            int retryCount,
            @Nullable Instant firstSentAt,
            @Nullable Reason reason,
            OutboxEntry.@Nullable Response response) {
        return new OutboxEntry(
                entry.id(),
                entry.idempotencyKey(),
                entry.clientTxId(),
                entry.operation(),
                entry.method(),
                entry.endpoint(),
                entry.contentType(),
                entry.payload(),
                entry.lane(),
                status,
                retryCount,
                entry.nextRetryAt(),
                entry.createdAt(),
                firstSentAt,
                reason,
                reason == null ? null : "because of " + reason,
                response);
    }

    /** Replaces the data of an entry, as a newer version or a failing disk does. */
    default void overwrite(OutboxEntry entry, String data) {
        DocumentId id = queued(entry);
        new Transactions(store(), Time.system()).run(tx -> {
            Document current = tx.read(id).orElseThrow();
            return tx.put(current.updated(tx.now(), Json.of(data)), EntryStore.indexEntries(entry));
        });
    }

    default DocumentId queued(OutboxEntry entry) {
        return new DocumentId("outbox." + name() + ".queue", "", entry.id());
    }

    default DocumentId mark(OutboxEntry entry) {
        return new DocumentId("outbox." + name() + ".failed", "", entry.id());
    }

    /** Returns the entries of all pages. */
    default List<OutboxEntry> all(Query query) {
        List<OutboxEntry> all = new ArrayList<>();
        for (Query next = query; ; ) {
            Page page = outbox().list(next);
            assertThat(page.entries()).hasSizeLessThanOrEqualTo(query.limit());
            all.addAll(page.entries());
            if (page.next().isEmpty()) {
                return all;
            }
            next = next.after(page);
        }
    }

    default List<OutboxEntry> all(@Nullable Status status, @Nullable String lane) {
        return all(new Query(status, lane, "", 7));
    }

    default List<String> operations(@Nullable Status status, @Nullable String lane) {
        return all(status, lane).stream().map(OutboxEntry::operation).toList();
    }
}
