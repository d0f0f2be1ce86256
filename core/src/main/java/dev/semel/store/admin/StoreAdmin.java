package dev.semel.store.admin;

import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.KeyStatus;
import dev.semel.store.spi.IdempotencyRecord.Status;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Administration of a store: lists keys, deletes what has expired, erases users. No call needs it, and it blocks none. */
public interface StoreAdmin {

    /**
     * Which keys to list. What is null does not matter.
     *
     * @param user whose they are
     * @param endpoint of which operation
     * @param state how they stand
     * @param prefix what they begin with
     * @param clientTxId what the client called the transaction
     * @param createdBefore the moment before which they were first seen
     * @param after the {@linkplain KeyPage#next() place} from which to go on
     * @param limit the most to return
     */
    record KeyQuery(
            @Nullable String user,
            @Nullable String endpoint,
            @Nullable KeyStatus state,
            @Nullable String prefix,
            @Nullable String clientTxId,
            @Nullable Instant createdBefore,
            @Nullable String after,
            int limit) {

        /** @throws IllegalArgumentException if the limit is below 1 */
        public KeyQuery {
            if (limit < 1) {
                throw new IllegalArgumentException("A list of " + limit + " keys");
            }
            prefix = prefix != null && prefix.isEmpty() ? null : prefix;
        }

        /** All keys, from the first. */
        public static KeyQuery all(int limit) {
            return new KeyQuery(null, null, null, null, null, null, null, limit);
        }

        public KeyQuery ofUser(@Nullable String user) {
            return new KeyQuery(user, endpoint, state, prefix, clientTxId, createdBefore, after, limit);
        }

        public KeyQuery ofEndpoint(@Nullable String endpoint) {
            return new KeyQuery(user, endpoint, state, prefix, clientTxId, createdBefore, after, limit);
        }

        public KeyQuery in(@Nullable KeyStatus state) {
            return new KeyQuery(user, endpoint, state, prefix, clientTxId, createdBefore, after, limit);
        }

        public KeyQuery beginningWith(@Nullable String prefix) {
            return new KeyQuery(user, endpoint, state, prefix, clientTxId, createdBefore, after, limit);
        }

        public KeyQuery ofClientTx(@Nullable String clientTxId) {
            return new KeyQuery(user, endpoint, state, prefix, clientTxId, createdBefore, after, limit);
        }

        public KeyQuery createdBefore(@Nullable Instant createdBefore) {
            return new KeyQuery(user, endpoint, state, prefix, clientTxId, createdBefore, after, limit);
        }

        public KeyQuery after(@Nullable String after) {
            return new KeyQuery(user, endpoint, state, prefix, clientTxId, createdBefore, after, limit);
        }

        /** Whether it asks for keys of which there are few, since most are completed and stay so until they expire. */
        public boolean asksForOpen() {
            return state == KeyStatus.PROCESSING || state == KeyStatus.FAILED || state == KeyStatus.UNKNOWN;
        }

        /** Whether it asks for a record. */
        public boolean matches(IdempotencyRecord record, Instant now) {
            return (user == null || user.equals(record.key().user()))
                    && (endpoint == null || endpoint.equals(record.key().endpoint()))
                    && (state == null || state == record.statusAt(now))
                    && (prefix == null || record.key().key().startsWith(prefix))
                    && (clientTxId == null || clientTxId.equals(record.clientTxId()))
                    && (createdBefore == null || record.createdAt().isBefore(createdBefore));
        }
    }

    /** Name in cleanup logs: responses of expired keys, and records abandoned by crashed owners. */
    String KEYS = "idempotency_keys";

    /** Name in cleanup logs: tombstones that were purged. */
    String TOMBSTONES = "tombstones";

    /** Name in cleanup logs: expired documents. */
    String DOCUMENTS = "documents";

    /** Name in cleanup logs: commit log entries, which resolve lost responses. */
    String COMMIT_LOG = "commit_log";

    /** The name under which a deleted record is logged. */
    static String tableOf(IdempotencyRecord deleted) {
        return deleted.status() == Status.PROCESSING ? KEYS : TOMBSTONES;
    }

    /**
     * One page of a list of keys.
     *
     * @param records the records, without the responses' headers and bodies
     * @param now the store's time
     * @param next cursor of the next page; empty if this is the last
     */
    record KeyPage(List<IdempotencyRecord> records, Instant now, Optional<String> next) {}

    /**
     * The result of one step of a sweep.
     *
     * @param deleted how many rows were deleted, by name
     * @param next cursor of the next step; empty if the sweep is complete
     * @param waited how much of the step's time it gave way to other writes
     */
    record SweepStep(Map<String, Long> deleted, Optional<String> next, Duration waited) {

        /** A step that did not wait. */
        public SweepStep(Map<String, Long> deleted, Optional<String> next) {
            this(deleted, next, Duration.ZERO);
        }
    }

    /**
     * An entry of the cleanup log.
     *
     * @param table what was deleted
     * @param deleted how many rows
     * @param time when
     */
    record Cleanup(String table, long deleted, Instant time) {

        /** The latest first; at the same time, by table. */
        public static final Comparator<Cleanup> LATEST_FIRST =
                Comparator.comparing(Cleanup::time).reversed().thenComparing(Cleanup::table);
    }

    /** The store's clock. */
    InstantSource clock();

    /**
     * Keys that match a query, ordered by user and then in a stable order of the store's own. A page may hold fewer keys than asked
     * for, or none, although there is a next one: no page examines more than some thousand rows.
     */
    KeyPage list(KeyQuery query);

    /**
     * One step of a sweep, small enough that no call waits for it. Deletes the responses of expired keys, purges
     * {@linkplain IdempotencyRecord#purgeAt() tombstones}, deletes expired documents; operations that were abandoned and must not be run
     * again become unknown. Never touches what has not expired, whoever writes it meanwhile. Any number of servers may sweep at once.
     *
     * @param cursor {@link SweepStep#next} of the step before, or empty to start
     */
    SweepStep sweep(String cursor);

    /** Appends to the cleanup log. */
    void log(List<Cleanup> cleanups);

    /**
     * The cleanup log, the latest first; at the same time, by table.
     *
     * @param after the last entry of the page before; null to start with the latest
     */
    List<Cleanup> cleanups(@Nullable Cleanup after, int limit);

    /** The latest entries of the cleanup log, the latest first. */
    default List<Cleanup> cleanups(int limit) {
        return cleanups(null, limit);
    }

    /**
     * Erases all keys of a user, with their responses and tombstones. An embedded store leaves no byte of them in its files; a database
     * keeps deleted rows until it reclaims their space. Operations in progress go on; their completion is rejected, or recorded as a
     * new key.
     *
     * @param withDocuments whether to erase the user's own documents, too
     * @return how many rows were erased, by name
     */
    Map<String, Long> erase(String user, boolean withDocuments);
}
