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
 * What every response tells browsers: to take nothing for what it is not, to run and load nothing, to show it in nobody's frame, to keep
 * no copy and to tell nobody where they come from. A page that needs more says so itself.
 */
public final class SecurityHeaders implements HttpConfiguration.Customizer {

    private static final List<HttpField> ALWAYS = Map.of(
                    "X-Content-Type-Options",
                    "nosniff",
                    "Cache-Control",
                    "no-store",
                    "Content-Security-Policy",
                    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
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

    /** Made once, so that an answer only copies its bytes. */
    private static HttpField encoded(String name, String value) {
        return new PreEncodedHttpField(HttpHeader.CACHE.get(name), name, value);
    }

    /** Before anybody else has set a header of the response. */
    @Override
    public Request customize(Request request, HttpFields.Mutable responseHeaders) {
        set(request, responseHeaders);
        return request;
    }

    /** Sets them for a request that was rejected before it came so far, or whose response was reset. */
    public static void set(Request request, HttpFields.Mutable responseHeaders) {
        ALWAYS.forEach(responseHeaders::put);
        if (request.isSecure()) {
            responseHeaders.put(OVER_TLS);
        }
    }
}
