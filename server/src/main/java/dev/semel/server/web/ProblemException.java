package dev.semel.server.web;

import dev.semel.http.Problem;
import dev.semel.id.MalformedException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Thrown to reject a request with a problem. The transaction of an atomic route is discarded. */
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

    /**
     * Returns the rejection of a body that cannot be parsed. It is not recorded under the key of the request, because the operation was
     * never attempted.
     */
    public static ProblemException unreadable(String fault) {
        return unreadable(Problem.of(400, "invalid_json", "Invalid JSON").detailed(fault));
    }

    /** Returns the rejection of an unreadable body with another problem. */
    static ProblemException unreadable(Problem problem) {
        return new ProblemException(problem, true);
    }

    /**
     * Returns the rejection of a request for something that does not exist, or that the caller may not see.
     *
     * @param what what does not exist; completes “There is no such …”
     */
    public static ProblemException notFound(String what) {
        return new ProblemException(Problem.of(404, "not_found", "Not found").detailed("There is no such " + what));
    }

    /**
     * Returns the rejection of a malformed or missing member, parameter or path segment.
     *
     * @param fault what is wrong, in words that follow the name of the field
     */
    public static ProblemException invalid(String field, String fault) {
        return new ProblemException(Problem.of(400, "invalid_field", "Invalid " + field)
                .detailed(field + " " + fault)
                .with("field", field));
    }

    /** Returns the rejection of a malformed id or key. */
    public static ProblemException malformed(MalformedException e) {
        return invalid(e.field(), e.problem() + "; expected " + e.expected());
    }

    /** Returns a rejection whose code and error are the same word. */
    public static ProblemException named(int status, String name, String detail) {
        return new ProblemException(Problem.of(status, name, name).detailed(detail));
    }

    /**
     * Returns the rejection of a query that neither the key of a collection nor an index serves.
     *
     * @param parts the parts that the query gives
     * @param scannable the sets of parts that a query may give
     */
    public static ProblemException notScannable(Set<String> parts, List<Set<String>> scannable) {
        String given = parts.stream().map(MalformedException::quote).collect(Collectors.joining(" and "));
        String possible = scannable.stream().map(by -> String.join(" and ", by)).collect(Collectors.joining(", by "));
        return new ProblemException(Problem.of(400, "not_scannable", "not_scannable")
                .detailed((given.isEmpty() ? "The query is empty" : "No key or index starts with " + given)
                        + "; documents are listed by " + possible)
                .with("scannable", scannable));
    }

    /** Whether the request could not be parsed. */
    public boolean isUnreadable() {
        return unreadable;
    }

    /** Returns the response to the request. */
    public Problem problem() {
        return problem;
    }
}
