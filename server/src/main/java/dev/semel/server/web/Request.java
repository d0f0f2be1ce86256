package dev.semel.server.web;

import dev.semel.document.Transaction;
import dev.semel.json.Json;
import dev.semel.json.MalformedJsonException;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A request as handlers see it. The path and the query are decoded.
 *
 * @param user the caller; empty on routes without authentication
 * @param pathParts the segments that the route names, by name
 * @param query parameters by name; of repeated parameters, the first
 * @param headers returns the value of a header, or null
 * @param body the bytes of the body; empty if there is none
 * @param transaction the transaction of an atomic route; null on other routes
 * @param clientTxId the client's transaction id, or a generated one if the client sent none; null without a key
 * @param isOperator whether the caller has the role of operators
 */
@SuppressWarnings("ArrayRecordComponent") // never compared or modified
public record Request(
        String user,
        Map<String, String> pathParts,
        Map<String, String> query,
        Function<String, @Nullable String> headers,
        byte[] body,
        @Nullable Transaction transaction,
        @Nullable String clientTxId,
        boolean isOperator) {

    private static final int DEFAULT_PAGE = 50;
    private static final int LARGEST_PAGE = 1000;

    /** Creates a request without a key from a user without roles. */
    public Request(
            String user,
            Map<String, String> pathParts,
            Map<String, String> query,
            Function<String, @Nullable String> headers,
            byte[] body,
            @Nullable Transaction transaction) {
        this(user, pathParts, query, headers, body, transaction, null, false);
    }

    /** Returns a named segment of the path. */
    public String part(String name) {
        return Optional.ofNullable(pathParts.get(name)).orElseThrow();
    }

    /** Returns a parameter; empty if it is missing. */
    public Optional<String> parameter(String name) {
        return Optional.ofNullable(query.get(name));
    }

    /** Returns a header; empty if it is missing. */
    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.apply(name));
    }

    /**
     * Returns the transaction of an atomic route.
     *
     * @throws IllegalStateException on other routes
     */
    public Transaction tx() {
        if (transaction == null) {
            throw new IllegalStateException("The route is not atomic");
        }
        return transaction;
    }

    /**
     * Returns the body as strict JSON.
     *
     * @throws ProblemException if it is malformed
     */
    public Json json() {
        try {
            return Json.of(body);
        } catch (MalformedJsonException e) {
            throw ProblemException.unreadable(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Returns the body as a JSON object.
     *
     * @throws ProblemException if it is malformed, or not an object
     */
    public JsonNode object() {
        JsonNode tree = JsonText.tree(json());
        if (!tree.isObject()) {
            throw ProblemException.unreadable("The body is not an object");
        }
        return tree;
    }

    /** Returns the requested number of items per page. */
    public int limit() {
        return number("limit", DEFAULT_PAGE, LARGEST_PAGE);
    }

    /** Returns a parameter that is a number from 1 to a maximum. */
    public int number(String parameter, int unlessGiven, int most) {
        String text = query.get(parameter);
        if (text == null) {
            return unlessGiven;
        }
        boolean isNumber = text.length() <= 9 && !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
        int number = isNumber ? Integer.parseInt(text) : 0;
        if (number < 1 || number > most) {
            throw ProblemException.invalid(parameter, "must be a number from 1 to " + most);
        }
        return number;
    }

    /** Returns the cursor of the requested page; null for the first page. */
    public @Nullable String after() {
        String after = query.get("after");
        return after == null || after.isEmpty() ? null : after;
    }

    /** Returns a required string of the body. */
    public static String text(JsonNode object, String member, int longest) {
        JsonNode value = object.get(member);
        if (value == null || !value.isString()) {
            throw ProblemException.invalid(member, "must be a string");
        }
        String text = value.stringValue();
        if (text.isBlank() || text.length() > longest) {
            throw ProblemException.invalid(member, "must have 1 to " + longest + " characters");
        }
        return text;
    }

    /** Returns an optional string of the body. Null counts as missing. */
    public static Optional<String> optionalText(JsonNode object, String member, int longest) {
        return isGiven(object, member) ? Optional.of(text(object, member, longest)) : Optional.empty();
    }

    /** Returns a required integer of the body, in any notation: {@code 100} and {@code 1e2} are the same. */
    public static long whole(JsonNode object, String member, long least, long most) {
        JsonNode value = object.get(member);
        double number = value != null && value.isNumber() ? value.asDouble(Double.NaN) : Double.NaN;
        if (!(number >= least && number <= most && number == Math.rint(number))) {
            throw ProblemException.invalid(member, "must be an integer from " + least + " to " + most);
        }
        return (long) number;
    }

    /** Whether the body has a member that is not null. */
    public static boolean isGiven(JsonNode object, String member) {
        return object.hasNonNull(member);
    }
}
