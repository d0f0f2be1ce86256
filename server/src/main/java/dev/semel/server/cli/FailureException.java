package dev.semel.server.cli;

import org.jspecify.annotations.Nullable;

/** A command has failed for a reason that the user can act on. The message is for the user. */
final class FailureException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    FailureException(String message) {
        this(message, null);
    }

    FailureException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
