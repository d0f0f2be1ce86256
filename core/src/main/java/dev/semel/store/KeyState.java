package dev.semel.store;

/** How a key looks to people. */
public enum KeyState {

    /** Somebody is at it, or has vanished and it may be run again. */
    PROCESSING,

    COMPLETED,

    /** It did not work, and a retry runs it again. */
    FAILED,

    /** Somebody was at it and has vanished, and it must not be run again: nobody knows what became of it. */
    UNKNOWN,

    /** It was completed or has failed, and its record is past its time. */
    EXPIRED,
}
