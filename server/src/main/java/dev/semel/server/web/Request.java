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
 * What is asked, and by whom.
 *
 * @param user who asks; empty on routes that are open to all
 * @param pathParts the parts of the path that the route names
 * @param query parameters by name, the first of each
 * @param headers a header by name
 * @param body the bytes
 * @param transaction what an atomic route reads and writes with; null on others
 * @param clientTxId what the client calls the transaction, or what it was called where the client did not say; null without a key
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and nobody writes into it
public record Request(
        String user,
        Map<String, String> pathParts,
        Map<String, String> query,
        Function<String, @Nullable String> headers,
        byte[] body,
        @Nullable Transaction transaction,
        @Nullable String clientTxId) {

    private static final int DEFAULT_PAGE = 50;
    private static final int LARGEST_PAGE = 1000;

    /** A request without a key. */
    public Request(
            String user,
            Map<String, String> pathParts,
            Map<String, String> query,
            Function<String, @Nullable String> headers,
            byte[] body,
            @Nullable Transaction transaction) {
        this(user, pathParts, query, headers, body, transaction, null);
    }

    /** A part of the path. */
    public String part(String name) {
        return Optional.ofNullable(pathParts.get(name)).orElseThrow();
    }

    /** A parameter, if it is given. */
    public Optional<String> parameter(String name) {
        return Optional.ofNullable(query.get(name));
    }

    /** A header, if it is sent. */
    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.apply(name));
    }

    /** What an atomic route reads and writes with. */
    public Transaction tx() {
        if (transaction == null) {
            throw new IllegalStateException("The route is not atomic");
        }
        return transaction;
    }

    /**
     * The body as strict JSON.
     *
     * @throws ProblemException if it is none
     */
    public Json json() {
        try {
            return Json.of(body);
        } catch (MalformedJsonException e) {
            throw ProblemException.unreadable(String.valueOf(e.getMessage()));
        }
    }

    /**
     * The body, which has to be a JSON object.
     *
     * @throws ProblemException if it is none
     */
    public JsonNode object() {
        JsonNode tree = JsonText.tree(json());
        if (!tree.isObject()) {
            throw ProblemException.unreadable("The body is not an object");
        }
        return tree;
    }

    /** How many items a page may have. */
    public int limit() {
        return number("limit", DEFAULT_PAGE, LARGEST_PAGE);
    }

    /** A parameter that is a number from 1 on. */
    public int number(String parameter, int unlessGiven, int most) {
        String text = query.get(parameter);
        if (text == null) {
            return unlessGiven;
        }
        boolean isNumber = text.length() <= 9 && !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
        int number = isNumber ? Integer.parseInt(text) : 0;
        if (number < 1 || number > most) {
            throw ProblemException.invalid(parameter, "has to be a number from 1 to " + most);
        }
        return number;
    }

    /** The {@code next} of the page before; null on the first. */
    public @Nullable String after() {
        String after = query.get("after");
        return after == null || after.isEmpty() ? null : after;
    }

    /** A member of the body that has to be a text. */
    public static String text(JsonNode object, String member, int longest) {
        JsonNode value = object.get(member);
        if (value == null || !value.isString()) {
            throw ProblemException.invalid(member, "has to be a text");
        }
        String text = value.stringValue();
        if (text.isBlank() || text.length() > longest) {
            throw ProblemException.invalid(member, "has to have 1 to " + longest + " characters");
        }
        return text;
    }

    /** A member of the body that may be missing, or null, and is a text otherwise. */
    public static Optional<String> optionalText(JsonNode object, String member, int longest) {
        return isGiven(object, member) ? Optional.of(text(object, member, longest)) : Optional.empty();
    }

    /** A member of the body that has to be a whole number, however it is spelled. */
    public static long whole(JsonNode object, String member, long least, long most) {
        JsonNode value = object.get(member);
        double number = value != null && value.isNumber() ? value.asDouble(Double.NaN) : Double.NaN;
        if (!(number >= least && number <= most && number == Math.rint(number))) {
            throw ProblemException.invalid(member, "has to be a whole number from " + least + " to " + most);
        }
        return (long) number;
    }

    /** Whether the body has a member, and more in it than null. */
    public static boolean isGiven(JsonNode object, String member) {
        return object.hasNonNull(member);
    }
}
