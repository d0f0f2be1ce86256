package dev.semel.server.web;

import java.util.Map;
import java.util.function.BiConsumer;

/**
 * What every response tells browsers: to take nothing for what it is not, to run and load nothing, to show it in nobody's frame, to keep
 * no copy and to tell nobody where they come from. A page that needs more says so itself.
 */
public final class SecurityHeaders {

    private static final Map<String, String> ALWAYS = Map.of(
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
            "same-origin");

    private static final String A_YEAR = "max-age=31536000";

    private SecurityHeaders() {}

    /**
     * Sets them.
     *
     * @param secure whether the request came over TLS, and others should, too
     */
    public static void set(BiConsumer<String, String> header, boolean secure) {
        ALWAYS.forEach(header);
        if (secure) {
            header.accept("Strict-Transport-Security", A_YEAR);
        }
    }
}
