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

/**
 * Administration of a store: lists keys, deletes expired data, and erases users. No {@code Once} call depends on it, and it blocks none for
 * long.
 */
public interface StoreAdmin {

    /**
     * A query for keys. A component that is null matches every key.
     *
     * @param user the user of the keys
     * @param endpoint the endpoint of the keys
     * @param state the status of the keys
     * @param prefix a prefix of the keys; empty counts as null
     * @param clientTxId the client's transaction id
     * @param createdBefore a time before which the keys were first used
     * @param after the {@linkplain KeyPage#next() cursor} of the previous page; null for the first page
     * @param limit the most keys to return
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

        /**
         * Checks the limit.
         *
         * @throws IllegalArgumentException if the limit is below 1
         */
        public KeyQuery {
            if (limit < 1) {
                throw new IllegalArgumentException("The limit of a list must be at least 1, not " + limit);
            }
            prefix = prefix != null && prefix.isEmpty() ? null : prefix;
        }

        /** Returns a query for the first page of all keys. */
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

        /** Whether the query asks for a status that few keys have: most are completed, and stay so until they expire. */
        public boolean asksForOpen() {
            return state == KeyStatus.PROCESSING || state == KeyStatus.FAILED || state == KeyStatus.UNKNOWN;
        }

        /** Whether a record matches the query, wherever the page starts. */
        public boolean matches(IdempotencyRecord record, Instant now) {
            return (user == null || user.equals(record.key().user()))
                    && (endpoint == null || endpoint.equals(record.key().endpoint()))
                    && (state == null || state == record.statusAt(now))
                    && (prefix == null || record.key().key().startsWith(prefix))
                    && (clientTxId == null || clientTxId.equals(record.clientTxId()))
                    && (createdBefore == null || record.createdAt().isBefore(createdBefore));
        }
    }

    /** Name in cleanup logs of deleted responses of expired keys, and of records abandoned by crashed owners. */
    String KEYS = "idempotency_keys";

    /** Name in cleanup logs of purged tombstones. */
    String TOMBSTONES = "tombstones";

    /** Name in cleanup logs of deleted documents that had expired. */
    String DOCUMENTS = "documents";

    /** Name in cleanup logs of deleted commit log entries, which resolve lost responses. */
    String COMMIT_LOG = "commit_log";

    /** Returns the name under which the deletion of a record is logged. */
    static String tableOf(IdempotencyRecord deleted) {
        return deleted.status() == Status.PROCESSING ? KEYS : TOMBSTONES;
    }

    /**
     * A page of a list of keys.
     *
     * @param records the records, without headers and bodies of their responses
     * @param now the store's time
     * @param next cursor of the next page; empty if this is the last
     */
    record KeyPage(List<IdempotencyRecord> records, Instant now, Optional<String> next) {}

    /**
     * The result of one step of a sweep.
     *
     * @param deleted the number of deleted rows, by name
     * @param next cursor of the next step; empty if the sweep is complete
     * @param waited how much of its time the step waited for other writes
     */
    record SweepStep(Map<String, Long> deleted, Optional<String> next, Duration waited) {

        /** Makes the result of a step that did not wait. */
        public SweepStep(Map<String, Long> deleted, Optional<String> next) {
            this(deleted, next, Duration.ZERO);
        }
    }

    /**
     * An entry of the cleanup log.
     *
     * @param table the name of what was deleted
     * @param deleted the number of deleted rows
     * @param time when they were deleted
     */
    record Cleanup(String table, long deleted, Instant time) {

        /** The order of the log: the latest first; at the same time, by table. */
        public static final Comparator<Cleanup> LATEST_FIRST =
                Comparator.comparing(Cleanup::time).reversed().thenComparing(Cleanup::table);
    }

    /** Returns the store's clock. */
    InstantSource clock();

    /**
     * Returns keys that match a query, ordered by user, and within a user in a stable order that depends on the store. A page may contain
     * fewer keys than requested, or none, and still have a next one: no page examines more than some thousand rows.
     */
    KeyPage list(KeyQuery query);

    /**
     * Runs one step of a sweep, which is so small that no call waits for it. Deletes the responses of expired keys, purges
     * {@linkplain IdempotencyRecord#purgeAt() tombstones}, and deletes expired documents. Abandoned operations that must not be run again
     * become unknown. Does not delete what has not expired, even if it is written meanwhile. Any number of servers may sweep at once.
     *
     * @param cursor {@link SweepStep#next} of the previous step; empty to start
     */
    SweepStep sweep(String cursor);

    /** Appends entries to the cleanup log. */
    void log(List<Cleanup> cleanups);

    /**
     * Returns a page of the cleanup log, the latest entry first; at the same time, by table.
     *
     * @param after the last entry of the previous page; null for the first page
     */
    List<Cleanup> cleanups(@Nullable Cleanup after, int limit);

    /** Returns the first page of the cleanup log. */
    default List<Cleanup> cleanups(int limit) {
        return cleanups(null, limit);
    }

    /**
     * Returns the first user, in the order of their names' bytes, who comes after a given one and owns documents of a collection. So the
     * documents of all users can be read, one user after another. A store without documents returns nobody.
     *
     * @param after the user to start after; empty for the first user
     */
    default Optional<String> nextOwner(String collection, String after) {
        return Optional.empty();
    }

    /**
     * Erases all keys of a user, with their responses and tombstones. An embedded store leaves no byte of them in its files; a database
     * keeps deleted rows until it reclaims their space. Operations in progress continue; their completion is rejected, or recorded as a
     * new key.
     *
     * @param withDocuments whether to erase the documents that the user owns, too
     * @return the number of erased rows, by name
     */
    Map<String, Long> erase(String user, boolean withDocuments);
}
