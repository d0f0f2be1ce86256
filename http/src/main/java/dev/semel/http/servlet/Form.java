package dev.semel.http.servlet;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringTokenizer;
import org.jspecify.annotations.Nullable;

/** Parses URL-encoded forms. */
final class Form {

    private static final int HEX = 16;

    private Form() {}

    /**
     * Returns given parameters, followed by those of a form.
     *
     * @throws CharacterCodingException if the form contains a malformed escape, or bytes that its encoding does not have
     */
    static Map<String, String[]> added(Map<String, String[]> there, byte[] body, Charset charset)
            throws CharacterCodingException {
        Map<String, List<String>> all = new LinkedHashMap<>();
        there.forEach((name, values) -> all.put(name, new ArrayList<>(List.of(values))));
        StringTokenizer pairs = new StringTokenizer(new String(body, ISO_8859_1), "&"); // a char for each byte
        while (pairs.hasMoreTokens()) {
            String pair = pairs.nextToken();
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            String value = equals < 0 ? "" : pair.substring(equals + 1);
            all.computeIfAbsent(decoded(name, charset), n -> new ArrayList<>()).add(decoded(value, charset));
        }
        Map<String, String[]> parameters = new LinkedHashMap<>();
        all.forEach((name, values) -> parameters.put(name, values.toArray(String[]::new)));
        return Collections.unmodifiableMap(parameters);
    }

    /** Returns the number of parameters in a query. */
    static int pairs(@Nullable String query) {
        return query == null ? 0 : new StringTokenizer(query, "&").countTokens();
    }

    private static String decoded(String text, Charset charset) throws CharacterCodingException {
        ByteBuffer bytes = ByteBuffer.allocate(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%') {
                bytes.put((byte) (digit(text, i + 1) * HEX + digit(text, i + 2)));
                i += 2;
            } else {
                bytes.put((byte) (c == '+' ? ' ' : c));
            }
        }
        return charset.newDecoder().decode(bytes.flip()).toString();
    }

    private static int digit(String text, int at) throws CharacterCodingException {
        int digit = at < text.length() ? Character.digit(text.charAt(at), HEX) : -1;
        if (digit < 0) {
            throw new CharacterCodingException();
        }
        return digit;
    }
}
