package dev.semel.outbox;

/**
 * What happens to an entry whose outcome nobody knows any more: it was first sent so long ago that the API would have deleted its key, and even
 * the tombstone of the key.
 */
public enum IfExpired {
    /** The entry fails with {@link Reason#EXPIRED}, and a person decides. The default. */
    FAIL,

    /** The entry is sent again. If an earlier attempt took effect, it takes effect twice. */
    SEND
}
