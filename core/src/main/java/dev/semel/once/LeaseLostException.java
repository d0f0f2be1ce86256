package dev.semel.once;

/** The owner of a lease was silent for too long: its operation was taken over, and what it brought was not recorded. */
public final class LeaseLostException extends Exception {

    private static final long serialVersionUID = 1L;

    LeaseLostException(long fence) {
        super("The lease with fence " + fence + " was lost before the operation came to its end");
    }
}
