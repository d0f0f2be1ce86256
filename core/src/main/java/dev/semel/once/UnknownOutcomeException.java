package dev.semel.once;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a leased operation that cannot tell whether it worked: the other system did not answer in time. Under
 * {@link dev.semel.store.IfAbandoned#FREEZE} the outcome becomes unknown, as if the owner had vanished; under
 * {@link dev.semel.store.IfAbandoned#RERUN} it counts as failed.
 */
public final class UnknownOutcomeException extends Exception {

    private static final long serialVersionUID = 1L;

    public UnknownOutcomeException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
