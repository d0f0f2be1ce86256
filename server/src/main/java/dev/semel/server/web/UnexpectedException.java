package dev.semel.server.web;

import dev.semel.once.Once.FailedResponse;

/** Wraps an exception that a handler must not throw, so that the idempotency record shows the status that {@link ErrorFilter} sends. */
final class UnexpectedException extends RuntimeException implements FailedResponse {

    private static final long serialVersionUID = 1L;

    static final int STATUS = 500;

    UnexpectedException(RuntimeException cause) {
        super(null, cause, false, false);
    }

    @Override
    public int status() {
        return STATUS;
    }
}
