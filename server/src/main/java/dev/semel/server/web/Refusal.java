package dev.semel.server.web;

import dev.semel.http.Problem;
import dev.semel.id.MalformedException;

/** A request that is not done: nothing that it wrote stays, and it is answered with a problem. */
public final class Refusal extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Problem problem;
    private final boolean unreadable;

    public Refusal(Problem problem) {
        this(problem, false);
    }

    private Refusal(Problem problem, boolean unreadable) {
        super(problem.code(), null, false, false);
        this.problem = problem;
        this.unreadable = unreadable;
    }

    /** The body cannot be understood; unlike other refusals it is not final for a key, as it says nothing about what is asked. */
    public static Refusal unreadable(String fault) {
        return unreadable(Problem.of(400, "invalid_json", "Invalid JSON").detailed(fault));
    }

    /** The same, with another problem. */
    static Refusal unreadable(Problem problem) {
        return new Refusal(problem, true);
    }

    /** There is no such thing, or none that the caller may know of. */
    public static Refusal notFound(String what) {
        return new Refusal(Problem.of(404, "not_found", "Not found").detailed("There is no such " + what));
    }

    /** A member, a parameter or a part of the path is missing or malformed. */
    public static Refusal invalid(String field, String fault) {
        return new Refusal(Problem.of(400, "invalid_field", "Invalid " + field)
                .detailed(field + " " + fault)
                .with("field", field));
    }

    /** The same, of an id or a key that says itself what is wrong with it. */
    public static Refusal malformed(MalformedException e) {
        return invalid(e.field(), e.problem() + "; expected " + e.expected());
    }

    /** What is asked for is not to be had, for a reason that programs and people know by the same name. */
    public static Refusal named(int status, String name, String detail) {
        return new Refusal(Problem.of(status, name, name).detailed(detail));
    }

    /** Whether the request could not be understood at all. */
    public boolean isUnreadable() {
        return unreadable;
    }

    /** What is answered. */
    public Problem problem() {
        return problem;
    }
}
