package dev.semel.once;

import org.jspecify.annotations.Nullable;

/**
 * An operation has committed or rolled back the transaction that it was given. What it wrote may be there without its key, so the
 * key's outcome is recorded as unknown: it is not run again before somebody has looked.
 */
public final class TransactionEndedException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    public TransactionEndedException(@Nullable Throwable cause) {
        super("An operation has ended the transaction that it was given; that is not its to do", cause);
    }
}
