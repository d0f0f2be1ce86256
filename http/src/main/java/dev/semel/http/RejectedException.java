package dev.semel.http;

/** Thrown for a request that is rejected before its key is looked up. */
public final class RejectedException extends Exception {

    private static final long serialVersionUID = 1L;

    private final Problem problem;

    RejectedException(IdempotencyProblem problem) {
        this(problem.problem());
    }

    RejectedException(Problem problem) {
        super(problem.code(), null, false, false);
        this.problem = problem;
    }

    /** Returns the exception for a payload that exceeds the limit. */
    public static RejectedException payloadTooLarge() {
        return new RejectedException(IdempotencyProblem.PAYLOAD_TOO_LARGE);
    }

    /** Returns the error response. */
    public Problem problem() {
        return problem;
    }
}
