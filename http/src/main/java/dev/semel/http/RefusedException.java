package dev.semel.http;

/** A request that is answered with a problem before anything is looked up. */
public final class RefusedException extends Exception {

    private static final long serialVersionUID = 1L;

    private final EdgeProblem problem;

    RefusedException(EdgeProblem problem) {
        super(problem.code(), null, false, false);
        this.problem = problem;
    }

    /** What is answered. */
    public Problem problem() {
        return problem.problem();
    }
}
