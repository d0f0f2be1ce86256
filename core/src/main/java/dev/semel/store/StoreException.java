package dev.semel.store;

import org.jspecify.annotations.Nullable;

/**
 * A store that did not do what it was asked: it cannot be reached, is full, or did not answer in time.
 *
 * <p>Whoever gets it may try again with the same idempotency key: either nothing was executed, or the retry finds out what
 * was.
 */
public final class StoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean certain;

    private StoreException(String message, @Nullable Throwable cause, boolean certain) {
        super(message, cause);
        this.certain = certain;
    }

    /** Nothing was changed, and asking again would not help. */
    public static StoreException rejected(String message) {
        return rejected(message, null);
    }

    /** The same with what the engine below reported. */
    public static StoreException rejected(String message, @Nullable Throwable cause) {
        return new StoreException(message, cause, true);
    }

    /** What was asked for may have happened, or not. */
    public static StoreException unavailable(String message, @Nullable Throwable cause) {
        return new StoreException(message, cause, false);
    }

    /** Whether it is certain that nothing was changed; otherwise asking again with the same commit id tells. */
    public boolean isCertain() {
        return certain;
    }
}
