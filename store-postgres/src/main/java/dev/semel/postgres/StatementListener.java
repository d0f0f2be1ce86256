package dev.semel.postgres;

/**
 * Receives the duration of each statement, for metrics. It is called on the thread that ran the statement: a slow listener slows down the
 * statement's caller, and an exception is thrown to that caller.
 */
@FunctionalInterface
public interface StatementListener {

    /** A listener that does nothing. */
    StatementListener NONE = (work, nanos, failed) -> {};

    /** The purpose of a statement. Concurrent callers share a statement. */
    enum Work {
        /** Looks up idempotency keys. */
        FIND,
        /** Reads documents by key. */
        READ,
        /** Reads documents in key order. */
        SCAN,
        /** Writes keys and documents. */
        COMMIT,
        /** Lists idempotency keys. */
        LIST,
        /** Deletes what has expired. */
        SWEEP,
        /** Deletes the rows of a user. */
        ERASE,
        /** Anything else, such as the checks when a store is opened. */
        OTHER
    }

    /**
     * Called when a statement has ended.
     *
     * @param nanos its duration, without the wait for a connection
     * @param failed whether the database rejected the statement, or the connection was lost
     */
    void ran(Work work, long nanos, boolean failed);
}
