package dev.semel.http;

import dev.semel.id.IdFormat.Fault;
import dev.semel.id.TextFormat;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The parsed idempotency headers of a request.
 *
 * @param key null if none was sent and none is required
 * @param clientTxId null if none was sent and none is required
 */
record KeyHeaders(@Nullable String key, @Nullable String clientTxId) {

    static final String IDEMPOTENCY_KEY = "Idempotency-Key";
    static final String CLIENT_TX_ID = "X-Client-Tx-Id";

    private static final int LONGEST_TEXT = 255;
    private static final String ANY_TEXT =
            "1 to " + LONGEST_TEXT + " printable ASCII characters, bare or as a quoted string of RFC 8941";
    private static final int LONGEST_WAIT = 30;
    private static final int MOST_DIGITS = 9;

    static KeyHeaders of(WebRequest request, Idempotency rule) throws RejectedException {
        String key = rule.anyKey()
                ? anyText(request, IDEMPOTENCY_KEY, IdempotencyProblem.INVALID_IDEMPOTENCY_KEY)
                : text(request, IDEMPOTENCY_KEY, IdempotencyProblem.INVALID_IDEMPOTENCY_KEY);
        if (key == null && rule.keyRequired()) {
            throw new RejectedException(IdempotencyProblem.MISSING_IDEMPOTENCY_KEY);
        }
        if (key == null && !rule.clientTxIdRequired()) {
            return new KeyHeaders(null, null);
        }
        String clientTxId = text(request, CLIENT_TX_ID, IdempotencyProblem.INVALID_CLIENT_TX_ID);
        if (clientTxId == null && rule.clientTxIdRequired()) {
            throw new RejectedException(IdempotencyProblem.MISSING_CLIENT_TX_ID);
        }
        return new KeyHeaders(key, clientTxId);
    }

    /**
     * Returns the transaction id that the response repeats, exactly as it was sent.
     *
     * @param headers returns all values of a header
     * @return null if the request has no key, or no well-formed transaction id
     */
    static @Nullable String repeatedClientTxId(Function<String, List<String>> headers) {
        if (headers.apply(IDEMPOTENCY_KEY).isEmpty()) {
            return null;
        }
        List<String> sent = headers.apply(CLIENT_TX_ID);
        return sent.size() == 1 && TextFormat.TEXT.isValid(unquoted(sent.get(0))) ? sent.get(0) : null;
    }

    /** Accepts a bare value or a string of RFC 8941. None of the allowed characters needs an escape there. */
    private static @Nullable String text(WebRequest request, String name, IdempotencyProblem ifInvalid)
            throws RejectedException {
        String value = single(request, name, ifInvalid);
        if (value == null) {
            return null;
        }
        String text = unquoted(value);
        Fault fault = TextFormat.TEXT.fault(text);
        if (fault != null) {
            throw rejected(name, fault, TextFormat.TEXT.expected(), ifInvalid);
        }
        return text;
    }

    /** Accepts a string of RFC 8941, or a bare value that does not start with a quote, of printable ASCII characters. */
    private static @Nullable String anyText(WebRequest request, String name, IdempotencyProblem ifInvalid)
            throws RejectedException {
        String value = single(request, name, ifInvalid);
        if (value == null) {
            return null;
        }
        boolean quoted = value.startsWith("\"");
        StringBuilder text = new StringBuilder(value.length());
        int end = quoted ? value.length() - 1 : value.length();
        for (int i = quoted ? 1 : 0; i < end; i++) {
            char c = value.charAt(i);
            boolean escaped = quoted && c == '\\' && i + 1 < end && "\"\\".indexOf(value.charAt(i + 1)) >= 0;
            if (c < ' ' || c > '~' || (quoted && !escaped && (c == '"' || c == '\\'))) {
                throw rejected(name, Fault.ofCharacter(value, i), ANY_TEXT, ifInvalid);
            }
            text.append(escaped ? value.charAt(++i) : c);
        }
        if (quoted && (end < 1 || value.charAt(end) != '"')) {
            throw rejected(name, new Fault(-1, "has no closing quote"), ANY_TEXT, ifInvalid);
        }
        if (text.isEmpty() || text.length() > LONGEST_TEXT) {
            throw rejected(name, Fault.ofLength(text.toString()), ANY_TEXT, ifInvalid);
        }
        return text.toString();
    }

    private static @Nullable String single(WebRequest request, String name, IdempotencyProblem ifInvalid)
            throws RejectedException {
        List<String> values = request.headers(name);
        if (values.size() > 1) {
            throw rejected(name, new Fault(-1, "is sent " + values.size() + " times"), "one value", ifInvalid);
        }
        return values.isEmpty() ? null : values.get(0);
    }

    /** Names the character that is wrong, and does not repeat the value. */
    private static RejectedException rejected(String name, Fault fault, String expected, IdempotencyProblem ifInvalid) {
        String position = fault.at() < 0 ? "" : " (at " + fault.at() + ")";
        return new RejectedException(
                ifInvalid.problem().detailed(name + " " + fault.problem() + position + "; expected " + expected));
    }

    private static String unquoted(String text) {
        int last = text.length() - 1;
        return last > 0 && text.charAt(0) == '"' && text.charAt(last) == '"' ? text.substring(1, last) : text;
    }

    /**
     * Returns how long the client is willing to wait: the preference {@code wait} of RFC 7240. The first one counts, longer times are
     * capped, and malformed values are ignored.
     */
    static Duration maxWait(WebRequest request) {
        for (String value : request.headers("Prefer")) {
            for (int start = 0; start < value.length(); ) {
                int end = end(value, start, ',');
                String preference = value.substring(start, end(value.substring(0, end), start, ';'));
                int equals = preference.indexOf('=');
                if (equals > 0 && preference.substring(0, equals).strip().equalsIgnoreCase("wait")) {
                    return seconds(unquoted(preference.substring(equals + 1).strip()));
                }
                start = end + 1;
            }
        }
        return Duration.ZERO;
    }

    /** Returns the position of the next separator outside quotes, or the end of the text. */
    private static int end(String text, int start, char separator) {
        boolean quoted = false;
        for (int i = start; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == separator && !quoted) {
                return i;
            }
            if (c == '"') {
                quoted = !quoted;
            } else if (c == '\\' && quoted) {
                i++;
            }
        }
        return text.length();
    }

    private static Duration seconds(String text) {
        boolean isNumber = !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
        if (!isNumber) {
            return Duration.ZERO;
        }
        int seconds = text.length() > MOST_DIGITS ? LONGEST_WAIT : Integer.parseInt(text);
        return Duration.ofSeconds(Math.min(seconds, LONGEST_WAIT));
    }
}
