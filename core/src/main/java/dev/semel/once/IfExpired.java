package dev.semel.once;

/** What happens to a call whose key was used before and is past its time. */
public enum IfExpired {

    /** The key is new. */
    RUN_AGAIN,

    /** The call is refused, for as long as anything is known of the key: what it asks for may have been done. */
    REFUSE,
}
