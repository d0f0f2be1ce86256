package dev.semel.server.web;

import dev.semel.http.Problem;
import java.util.Arrays;
import java.util.List;

/**
 * The versions in an {@code If-Match} header: {@code "3"}, or {@code *} for any version.
 *
 * @param tags the tags without quotes. Weak tags are kept as they are, and match no version
 */
public record IfMatch(List<String> tags) {

    /** The name of the header. */
    public static final String NAME = "If-Match";

    private static final String ANY = "*";
    private static final String QUOTED_ANY = "\"*\""; // matches no version, unlike an unquoted asterisk

    /**
     * Parses the value of the header.
     *
     * @throws ProblemException if it is malformed
     */
    public static IfMatch parse(String header) {
        return new IfMatch(Arrays.stream(header.split(",", -1))
                .map(String::strip)
                .map(IfMatch::tag)
                .toList());
    }

    private static String tag(String text) {
        if (text.equals(ANY) || isNumber(text) || isQuoted(text.startsWith("W/") ? text.substring(2) : text)) {
            return isQuoted(text) && !text.equals(QUOTED_ANY) ? text.substring(1, text.length() - 1) : text;
        }
        throw ProblemException.invalid(NAME, "must be a version in quotes, such as \"3\", or *");
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static boolean isQuoted(String text) {
        return text.length() >= 2 && text.indexOf('"') == 0 && text.indexOf('"', 1) == text.length() - 1;
    }

    /** Returns the {@code ETag} of a version. */
    public static String tagOf(long version) {
        return "\"" + version + "\"";
    }

    /**
     * Checks that the current version of a document is one of those in the header.
     *
     * @throws ProblemException if it is not
     */
    public void check(long version) {
        if (!tags.contains(ANY) && !tags.contains(Long.toString(version))) {
            throw stale(version);
        }
    }

    /**
     * Returns the rejection of a request whose precondition does not hold.
     *
     * @param version the current version of the document, or 0 if there is none
     */
    public static ProblemException stale(long version) {
        return new ProblemException(Problem.of(412, "stale_version", "stale_version")
                .detailed(version == 0 ? "There is no such document" : "The document has another version")
                .with("version", version));
    }
}
