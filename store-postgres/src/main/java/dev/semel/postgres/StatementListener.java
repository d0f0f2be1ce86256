package dev.semel.postgres;

/** Hears what statements take, to count it. What it throws is thrown to whoever runs them; what it is slow at makes them slow. */
@FunctionalInterface
public interface StatementListener {

    /** Hears nothing. */
    StatementListener NONE = (work, nanos, failed) -> {};

    /** What a statement is for. Callers that come together share one. */
    enum Work {
        /** Keys are looked up. */
        FIND,
        /** Documents are read. */
        READ,
        /** Documents are read in the order of their keys. */
        SCAN,
        /** Keys and documents are written. */
        COMMIT,
        /** Keys are listed. */
        LIST,
        /** What is expired is removed. */
        SWEEP,
        /** What is a user's is removed. */
        ERASE,
        /** Something else. */
        OTHER
    }

    /**
     * A statement came to an end.
     *
     * @param nanos how long it took, from when there was a connection for it
     * @param failed whether the database could not do it, or was lost meanwhile
     */
    void ran(Work work, long nanos, boolean failed);
}
