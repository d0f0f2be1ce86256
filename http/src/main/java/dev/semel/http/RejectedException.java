package dev.semel.http;

/** A request that is answered with an error before its key is looked up. */
public final class RejectedException extends Exception {

    private static final long serialVersionUID = 1L;

    private final IdempotencyProblem problem;

    RejectedException(IdempotencyProblem problem) {
        super(problem.code(), null, false, false);
        this.problem = problem;
    }

    /** The error. */
    public Problem problem() {
        return problem.problem();
    }
}
