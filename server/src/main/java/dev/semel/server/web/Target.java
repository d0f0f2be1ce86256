package dev.semel.server.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.http.Problem;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Parses paths and queries. They are split before they are decoded, so an encoded separator is data. */
final class Target {

    private Target() {}

    /**
     * Returns the decoded segments of a path.
     *
     * @throws ProblemException if the path is malformed
     */
    static List<String> segments(String path) {
        if (!path.startsWith("/")) {
            throw malformed("path", "does not begin with a slash");
        }
        List<String> segments = new ArrayList<>();
        for (String segment : path.substring(1).split("/", -1)) {
            segments.add(decode("path", segment));
        }
        return segments;
    }

    /**
     * Returns the decoded parameters of a query by name; of repeated parameters, the first. As in forms, an empty one between or after
     * separators is none.
     *
     * @throws ProblemException if a parameter is malformed
     */
    static Map<String, String> query(@Nullable String query) {
        Map<String, String> parameters = new LinkedHashMap<>();
        if (query == null || query.isEmpty()) {
            return parameters;
        }
        for (String parameter : query.split("&", -1)) {
            if (parameter.isEmpty()) {
                continue;
            }
            int equals = parameter.indexOf('=');
            String name = equals < 0 ? parameter : parameter.substring(0, equals);
            String value = equals < 0 ? "" : parameter.substring(equals + 1);
            parameters.putIfAbsent(decode("query", name.replace('+', ' ')), decode("query", value.replace('+', ' ')));
        }
        return parameters;
    }

    private static String decode(String where, String text) {
        String decoded = text.indexOf('%') < 0 ? text : decodePercents(where, text);
        for (int i = 0; i < decoded.length(); i++) {
            if (Character.isISOControl(decoded.charAt(i))) {
                throw malformed(where, "contains a control character");
            }
        }
        return decoded;
    }

    private static String decodePercents(String where, String text) {
        byte[] raw = text.getBytes(UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(raw.length);
        for (int i = 0; i < raw.length; i++) {
            if (raw[i] != '%') {
                bytes.put(raw[i]);
                continue;
            }
            int high = i + 2 < raw.length ? Character.digit(raw[i + 1], 16) : -1;
            int low = i + 2 < raw.length ? Character.digit(raw[i + 2], 16) : -1;
            if (high < 0 || low < 0) {
                throw malformed(where, "contains a % that is not followed by two hexadecimal digits");
            }
            bytes.put((byte) (high << 4 | low));
            i += 2;
        }
        try {
            return UTF_8.newDecoder().decode(bytes.flip()).toString();
        } catch (CharacterCodingException e) {
            throw malformed(where, "is not UTF-8");
        }
    }

    private static ProblemException malformed(String where, String fault) {
        return new ProblemException(
                Problem.of(400, "invalid_" + where, "Invalid " + where).detailed("The " + where + " " + fault));
    }
}
