package dev.semel.server.web;

import java.util.List;
import java.util.Map;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;

/**
 * Sets headers that make browsers treat every response restrictively: no content sniffing, no scripts, no framing, no caching, no referrer.
 * Pages that need more override the header.
 */
public final class SecurityHeaders implements HttpConfiguration.Customizer {

    private static final List<HttpField> ALWAYS = Map.of(
                    "X-Content-Type-Options",
                    "nosniff",
                    "Cache-Control",
                    "no-store",
                    "Content-Security-Policy",
                    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                    "X-Frame-Options",
                    "DENY",
                    "Referrer-Policy",
                    "no-referrer",
                    "Cross-Origin-Opener-Policy",
                    "same-origin",
                    "Cross-Origin-Resource-Policy",
                    "same-origin")
            .entrySet()
            .stream()
            .map(header -> encoded(header.getKey(), header.getValue()))
            .toList();

    private static final HttpField OVER_TLS = encoded("Strict-Transport-Security", "max-age=31536000");

    /** Encodes a header once, so that responses only copy its bytes. */
    private static HttpField encoded(String name, String value) {
        return new PreEncodedHttpField(HttpHeader.CACHE.get(name), name, value);
    }

    /** Sets the headers before anything else does, so handlers can override them. */
    @Override
    public Request customize(Request request, HttpFields.Mutable responseHeaders) {
        set(request, responseHeaders);
        return request;
    }

    /** Sets the headers on the response to a request that was rejected early, or whose response was reset. */
    public static void set(Request request, HttpFields.Mutable responseHeaders) {
        ALWAYS.forEach(responseHeaders::put);
        if (request.isSecure()) {
            responseHeaders.put(OVER_TLS);
        }
    }
}
