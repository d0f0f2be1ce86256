package dev.semel.testkit;

import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.store.Capability;
import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.DocumentWrite;
import dev.semel.store.Expected;
import dev.semel.store.FurtherKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.OnceKey;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.OnceWrite;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Store;
import dev.semel.store.Time;
import dev.semel.store.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** What the topics of the contract are told with: a store, a time, and engines on them. */
public interface StoreFixture {

    /** The settings that the topics count on: those that users get, but without a quota. */
    OnceSettings SETTINGS = OnceSettings.DEFAULTS.withQuota(Quota.NONE);

    /** The payload that calls carry unless they say otherwise. */
    String PAYLOAD = "{\"amount\":100}";

    /** An empty store, opened for this test. */
    Store store();

    /** The time by which it counts. */
    ControlledTime time();

    /** Another empty store beside the first, with nothing in common with it, counting by another time. */
    Store openAnother(Time time);

    /** How an operation is run. */
    enum Mode {
        ATOMIC,
        LEASED
    }

    /** The ways in which the store lets operations run. */
    default List<Mode> modes() {
        return store().capabilities().contains(Capability.COMMIT) ? List.of(Mode.values()) : List.of(Mode.LEASED);
    }

    /** Runs an operation that does nothing but answer. */
    default Outcome run(Mode mode, Call call, String answer) {
        return run(newOnce(), mode, call, () -> Response.of(answer));
    }

    /** Runs an operation that does nothing but answer, on a given engine. */
    default Outcome run(Once once, Mode mode, Call call, Callable<Response> operation) {
        return mode == Mode.ATOMIC
                ? once.atomic(call, tx -> operation.call())
                : once.leased(call, IfAbandoned.RERUN, lease -> operation.call());
    }

    /** Skips a test that asks for what the store does not claim to do. */
    default void needs(Capability... capabilities) {
        for (Capability capability : capabilities) {
            Assumptions.assumeTrue(store().capabilities().contains(capability), () -> "the store has no " + capability);
        }
    }

    /** An engine on the store, as a server of its own would have. */
    default Once newOnce() {
        return newOnce(store(), SETTINGS, OnceListener.NONE);
    }

    /** An engine with other settings, or on a store that fails. */
    default Once newOnce(Store store, OnceSettings settings, OnceListener listener) {
        return new Once(store, time(), settings, listener);
    }

    /** Transactions on the store. */
    default Transactions transactions() {
        return new Transactions(store(), time());
    }

    /** A call by ann. */
    static Call call(String key) {
        return call(key, PAYLOAD);
    }

    /** A call by ann for something else. */
    static Call call(String key, String payload) {
        return Call.of(new OnceKey("ann", "POST /payments", key), Fingerprint.ofJson(payload));
    }

    /** What is stored of a call. */
    default @Nullable OnceRecord stored(Call call) {
        return store().find(call.key(), Quota.NONE).record();
    }

    /** A record as an owner leaves it who has claimed an operation and vanishes. */
    default OnceRecord claimAndVanish(Call call, IfAbandoned ifAbandoned) {
        return write(call, Expected.asSeen(stored(call)), OnceStatus.PROCESSING, ifAbandoned, null);
    }

    /** Writes a record straight into the store. */
    default OnceRecord write(
            Call call,
            Expected expected,
            OnceStatus status,
            @Nullable IfAbandoned ifAbandoned,
            @Nullable Response response) {
        CommitResult result = store().commit(Commit.of(
                transactions().newAttempt(), onceWrite(call, expected, 0, status, ifAbandoned, response)));
        return Objects.requireNonNull(((CommitResult.Applied) result).once());
    }

    /** A change to the record of a call. */
    default OnceWrite onceWrite(
            Call call,
            Expected expected,
            long fence,
            OnceStatus status,
            @Nullable IfAbandoned ifAbandoned,
            @Nullable Response response) {
        Duration life = switch (status) {
            case PROCESSING -> SETTINGS.lease();
            case COMPLETED -> SETTINGS.retention();
            case FAILED -> SETTINGS.failedRetention();
            case UNKNOWN -> null;
        };
        OnceRecord record = new OnceRecord(
                call.key(),
                call.clientTxId(),
                call.fingerprint(),
                status,
                ifAbandoned,
                1,
                "",
                fence,
                store().clock().instant(),
                null,
                null,
                response);
        return new OnceWrite(expected, record, life, SETTINGS.tombstone(), Quota.NONE);
    }

    /** A document's id in a collection that all share. */
    static DocumentId id(String key) {
        return new DocumentId("things", "", key);
    }

    /** A document that is not stored yet. */
    default Document document(String key, long version, String data) {
        Instant now = store().clock().instant();
        return new Document(id(key), version, now, now, null, Json.of(data), writer(version));
    }

    /** Who writes a version of a document in these tests. */
    static String writer(long version) {
        return version == 0 ? "" : "writer-" + version;
    }

    /** Writes documents if others have the versions that they have to have, straight into the store. */
    default CommitResult commit(Map<DocumentId, Long> versions, Document... documents) {
        return store().commit(commitOf(transactions().newAttempt(), versions, documents));
    }

    /** Such a commit, not sent yet. */
    static Commit commitOf(String attempt, Map<DocumentId, Long> versions, Document... documents) {
        List<DocumentWrite> writes = Arrays.stream(documents)
                .<DocumentWrite>map(document -> new DocumentWrite.Put(document, List.of()))
                .toList();
        Map<DocumentId, String> writers = new HashMap<>();
        versions.forEach((id, version) -> writers.put(id, writer(version)));
        return new Commit(attempt, null, writers, writes);
    }

    /** A write of a document with further keys. */
    static DocumentWrite put(Document document, FurtherKey... further) {
        return new DocumentWrite.Put(document, List.of(further));
    }
}
