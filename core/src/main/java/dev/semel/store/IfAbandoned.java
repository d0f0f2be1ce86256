package dev.semel.store;

/** What a retry does with a leased operation whose owner vanished. There is no default: the operation has to say it. */
public enum IfAbandoned {

    /** The retry runs it again, with a higher fencing token. For effects that can be repeated, or that look at the fencing token. */
    RERUN,

    /** It becomes {@link KeyStatus#UNKNOWN} until an operator resolves it. For effects that must not happen twice. */
    FREEZE,
}
