package dev.semel.store;

/** The status of an idempotency key as users and operators see it. */
public enum KeyStatus {

    /** The operation is in progress, or its owner crashed and a retry may run it again. */
    PROCESSING,

    /** The operation completed, and its response is replayed. */
    COMPLETED,

    /** The operation failed; a retry runs it again. */
    FAILED,

    /** The owner crashed and the operation must not be run again: an operator decides what became of it. */
    UNKNOWN,

    /** The operation completed or failed, and its record has expired. */
    EXPIRED,
}
