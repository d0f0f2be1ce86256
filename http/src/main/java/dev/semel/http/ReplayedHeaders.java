package dev.semel.http;

import java.util.Locale;
import java.util.Set;

/**
 * The headers that are recorded and replayed, besides {@code Content-Type}. All others belong to one response: the container or the
 * filters in front set them each time (date, cookies, CORS, tracing, policies), or they concern only the first caller.
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

    /** Returns whether a header is replayed. Several values of a header are joined by commas, as RFC 9110 allows for all of these. */
    public static boolean contains(String name) {
        return NAMES.contains(name.toLowerCase(Locale.ROOT));
    }
}
