package dev.semel.once;

/** An operation called for itself, with its own key, which it still has. It would wait for its own end. */
public final class ReentryException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    ReentryException() {
        super("An operation calls for itself with its own key");
    }
}
