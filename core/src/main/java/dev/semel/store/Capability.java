package dev.semel.store;

/** A family of things that a store can do. Each store declares its own, and the test kit skips what a store has not. */
public enum Capability {

    /** Once-records are claimed, extended, completed and failed, each by compare-and-set on the fence. Every store can. */
    LEASE,

    /** Documents, their further keys and a once-record are written all or nothing, if all preconditions hold. */
    COMMIT,

    /** Documents are read in the order of their keys. */
    SCAN,

    /** New keys of a user are counted over a sliding time, and never more than the quota let through. A store without it lets all through. */
    QUOTA,

    /** Keys are listed, what is past its time is swept, and a user is erased. */
    HOUSEKEEPING,
}
