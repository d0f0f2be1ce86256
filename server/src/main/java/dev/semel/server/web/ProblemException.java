package dev.semel.server.web;

import dev.semel.http.Problem;
import dev.semel.id.MalformedException;

/** A request that is rejected with a problem; nothing that it wrote stays. */
public final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Problem problem;
    private final boolean unreadable;

    public ProblemException(Problem problem) {
        this(problem, false);
    }

    private ProblemException(Problem problem, boolean unreadable) {
        super(problem.code(), null, false, false);
        this.problem = problem;
        this.unreadable = unreadable;
    }

    /** The body cannot be parsed. This is not final for a key, unlike others, since it says nothing about the operation. */
    public static ProblemException unreadable(String fault) {
        return unreadable(Problem.of(400, "invalid_json", "Invalid JSON").detailed(fault));
    }

    /** The same, with another problem. */
    static ProblemException unreadable(Problem problem) {
        return new ProblemException(problem, true);
    }

    /** There is no such thing, or none that the caller may see. */
    public static ProblemException notFound(String what) {
        return new ProblemException(Problem.of(404, "not_found", "Not found").detailed("There is no such " + what));
    }

    /** A member, a parameter or a part of the path is missing or malformed. */
    public static ProblemException invalid(String field, String fault) {
        return new ProblemException(Problem.of(400, "invalid_field", "Invalid " + field)
                .detailed(field + " " + fault)
                .with("field", field));
    }

    /** The same, for a malformed id or key. */
    public static ProblemException malformed(MalformedException e) {
        return invalid(e.field(), e.problem() + "; expected " + e.expected());
    }

    /** A problem whose code and error are the same word. */
    public static ProblemException named(int status, String name, String detail) {
        return new ProblemException(Problem.of(status, name, name).detailed(detail));
    }

    /** Whether the request could not be parsed. */
    public boolean isUnreadable() {
        return unreadable;
    }

    /** The response. */
    public Problem problem() {
        return problem;
    }
}
