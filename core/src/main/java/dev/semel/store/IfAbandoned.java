package dev.semel.store;

/**
 * What a retry does with a leased operation whose owner crashed. There is no default: the caller chooses, and the choice is stored with
 * the key.
 */
public enum IfAbandoned {

    /** The retry runs the operation again, with a higher fencing token. For effects that can be repeated or that check the token. */
    RERUN,

    /** The outcome is unknown until an operator resolves it. For effects that must not happen twice. */
    FREEZE,
}
