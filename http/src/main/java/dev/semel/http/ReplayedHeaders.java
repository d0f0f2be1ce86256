package dev.semel.http;

import java.util.Locale;
import java.util.Set;

/**
 * The headers that are recorded and replayed, beside {@code Content-Type}. All others are made for each response by the container or the
 * filters in front of it (dates, cookies, CORS, tracing, policies), or concern only the first caller.
 */
public final class ReplayedHeaders {

    private static final Set<String> NAMES = Set.of(
            "allow",
            "cache-control",
            "content-disposition",
            "content-encoding",
            "content-language",
            "content-location",
            "etag",
            "last-modified",
            "link",
            "location",
            "retry-after");

    private ReplayedHeaders() {}

    /** Whether a header is one of them. Several values of one are joined by commas, as RFC 9110 allows for all of these. */
    public static boolean contains(String name) {
        return NAMES.contains(name.toLowerCase(Locale.ROOT));
    }
}
