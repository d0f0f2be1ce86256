package dev.semel.store;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a store fails: it cannot be reached, is full, or did not respond in time.
 *
 * <p>The caller may retry with the same idempotency key. Either nothing was executed, or the retry finds out what was.
 */
public final class StoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean certain;

    private StoreException(String message, @Nullable Throwable cause, boolean certain) {
        super(message, cause);
        this.certain = certain;
    }

    /** Returns the exception of a write that the store rejected: nothing was changed, and a retry would be rejected, too. */
    public static StoreException rejected(String message) {
        return rejected(message, null);
    }

    /** Returns the exception of a write that the store rejected, with the exception of its driver or engine. */
    public static StoreException rejected(String message, @Nullable Throwable cause) {
        return new StoreException(message, cause, true);
    }

    /** Returns the exception of a request whose result is unknown: a write may have been applied or not. */
    public static StoreException unavailable(String message, @Nullable Throwable cause) {
        return new StoreException(message, cause, false);
    }

    /** Whether it is certain that nothing was changed. If not, sending the write again with the same commit id returns its result. */
    public boolean isCertain() {
        return certain;
    }
}
