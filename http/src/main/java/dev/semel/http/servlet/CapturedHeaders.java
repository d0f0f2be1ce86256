package dev.semel.http.servlet;

import dev.semel.http.ReplayedHeaders;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The headers that a handler sets. All are sent to the first caller, and {@link ReplayedHeaders} are replayed. */
final class CapturedHeaders {

    /** The session of the first caller in a URL, which must not be replayed. */
    private static final Pattern SESSION = Pattern.compile(";jsessionid=[^;?#\\s,>\"]*", Pattern.CASE_INSENSITIVE);

    private final Map<String, Header> byName = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    /** The values of a header. They replace the values that filters in front have set, or are added to them. */
    private static final class Header {

        private boolean replaces;
        private Collection<String> replaced = List.of();
        private final List<String> values = new ArrayList<>(1);

        /** Returns the values that the wrapped response got afterwards, such as the cookie of a session. */
        List<String> addedLater(String name, HttpServletResponse beneath) {
            List<String> values = new ArrayList<>(beneath.getHeaders(name));
            replaced.forEach(values::remove);
            return values;
        }
    }

    void set(String name, @Nullable String value, HttpServletResponse beneath) {
        Header header = byName.computeIfAbsent(name, n -> new Header());
        header.replaces = true;
        header.replaced = List.copyOf(beneath.getHeaders(name));
        header.values.clear();
        if (value != null) {
            header.values.add(value);
        }
    }

    void add(String name, String value) {
        byName.computeIfAbsent(name, n -> new Header()).values.add(value);
    }

    void clear() {
        byName.clear();
    }

    /** Returns the values of a header: the captured ones, after those of the wrapped response unless they were replaced. */
    Collection<String> values(String name, HttpServletResponse beneath) {
        Header header = byName.get(name);
        if (header == null) {
            return beneath.getHeaders(name);
        }
        List<String> all = header.addedLater(name, beneath);
        all.addAll(header.values);
        return all;
    }

    Set<String> names() {
        return byName.keySet();
    }

    void copyTo(HttpServletResponse response) {
        byName.forEach((name, header) -> {
            if (header.replaces) {
                List<String> addedLater = header.addedLater(name, response);
                response.setHeader(name, null);
                addedLater.forEach(value -> response.addHeader(name, value));
            }
            header.values.forEach(value -> response.addHeader(name, value));
        });
    }

    /** Returns the headers to record. Several values of a header are joined. */
    Map<String, String> toReplay() {
        Map<String, String> replayed = new HashMap<>();
        byName.forEach((name, header) -> {
            if (!header.values.isEmpty() && ReplayedHeaders.contains(name)) {
                replayed.put(
                        name, SESSION.matcher(String.join(", ", header.values)).replaceAll(""));
            }
        });
        return replayed;
    }
}
