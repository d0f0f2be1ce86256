package dev.semel.store;

/** What became of an operation. */
public enum OnceStatus {

    /** It was begun, and its owner has a lease. */
    PROCESSING,

    /** It is done, or was refused for good; its response is kept. */
    COMPLETED,

    /** It did not work; a retry runs it again. */
    FAILED,

    /** Its owner vanished, and it must not be run again: only an operator can say what became of it. Never expires. */
    UNKNOWN,
}
