package dev.semel.http;

/** A request that is answered with a problem before anything is looked up. */
final class RefusedException extends Exception {

    private static final long serialVersionUID = 1L;

    private final EdgeProblem problem;

    RefusedException(EdgeProblem problem) {
        super(problem.code(), null, false, false);
        this.problem = problem;
    }

    Problem problem() {
        return problem.problem();
    }
}
