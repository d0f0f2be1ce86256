package dev.semel.http.servlet;

import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringTokenizer;

/** Parses URL-encoded forms. */
final class Form {

    private Form() {}

    /**
     * Returns given parameters, followed by those of a form.
     *
     * @throws IllegalArgumentException if the form contains a malformed escape
     */
    static Map<String, String[]> added(Map<String, String[]> there, byte[] body, Charset charset) {
        Map<String, List<String>> all = new LinkedHashMap<>();
        there.forEach((name, values) -> all.put(name, new ArrayList<>(List.of(values))));
        StringTokenizer pairs = new StringTokenizer(new String(body, charset), "&");
        while (pairs.hasMoreTokens()) {
            String pair = pairs.nextToken();
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            String value = equals < 0 ? "" : pair.substring(equals + 1);
            all.computeIfAbsent(URLDecoder.decode(name, charset), n -> new ArrayList<>())
                    .add(URLDecoder.decode(value, charset));
        }
        Map<String, String[]> parameters = new LinkedHashMap<>();
        all.forEach((name, values) -> parameters.put(name, values.toArray(String[]::new)));
        return Collections.unmodifiableMap(parameters);
    }
}
