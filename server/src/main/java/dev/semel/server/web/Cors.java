package dev.semel.server.web;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;

/**
 * Lets pages of chosen origins call the API from a browser (CORS). Every response to such a page can be read by it, errors included. Cookies
 * are never allowed, because the API has none.
 */
public final class Cors implements HttpConfiguration.Customizer {

    private static final String METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
    private static final String REQUEST_HEADERS =
            "Authorization, Content-Type, Idempotency-Key, X-Client-Tx-Id, If-Match, If-None-Match, Prefer, Last-Event-ID";

    /** What proves the origin of a response; and {@code Date}, with which clients learn how long keys live, whatever their own clock shows. */
    private static final String RESPONSE_HEADERS =
            "Idempotency-Replayed, Idempotency-Expires, X-Client-Tx-Id, Retry-After, Date, ETag";

    private static final String MAX_AGE_SECONDS = "7200"; // browsers keep it no longer
    private static final Pattern ORIGIN = Pattern.compile(
            "(http|https)://([a-z0-9]([a-z0-9_-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9_-]*[a-z0-9])?)*|\\[[0-9a-f:.]+])(:[1-9][0-9]{0,4})?");
    private static final int HIGHEST_PORT = 65_535;

    private final Set<String> origins;

    /** @param origins the origins that are allowed; empty for none */
    public Cors(Set<String> origins) {
        this.origins = Set.copyOf(origins);
    }

    /** Whether a text is an origin in the form in which browsers send it. */
    public static boolean isOrigin(String text) {
        if (!ORIGIN.matcher(text).matches()) {
            return false;
        }
        int port = URI.create(text).getPort();
        return port <= HIGHEST_PORT && port != (text.startsWith("https:") ? 443 : 80);
    }

    /** Whether pages of an origin may call the API. */
    public boolean allows(String origin) {
        return origins.contains(origin);
    }

    @Override
    public Request customize(Request request, HttpFields.Mutable responseHeaders) {
        set(request, responseHeaders);
        return request;
    }

    /** Sets the headers on a response whose headers were reset. */
    public void set(Request request, HttpFields.Mutable responseHeaders) {
        if (origins.isEmpty()) {
            return;
        }
        responseHeaders.put(HttpHeader.VARY, "Origin");
        List<String> sent = request.getHeaders().getValuesList(HttpHeader.ORIGIN);
        if (sent.size() == 1 && allows(sent.get(0))) {
            responseHeaders.put(HttpHeader.ACCESS_CONTROL_ALLOW_ORIGIN, sent.get(0));
            responseHeaders.put(HttpHeader.ACCESS_CONTROL_EXPOSE_HEADERS, RESPONSE_HEADERS);
        }
    }

    /** Returns the filter that responds to the requests by which browsers ask for permission. */
    public Filter preflights() {
        return new Preflights(this);
    }

    private static final class Preflights extends HttpFilter {

        private static final long serialVersionUID = 1L;

        private final transient Cors cors;

        Preflights(Cors cors) {
            this.cors = cors;
        }

        @Override
        protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            String origin = request.getHeader("Origin");
            boolean isPreflight =
                    request.getMethod().equals("OPTIONS") && request.getHeader("Access-Control-Request-Method") != null;
            if (!isPreflight || origin == null || !cors.allows(origin)) {
                chain.doFilter(request, response);
                return;
            }
            response.setHeader("Access-Control-Allow-Methods", METHODS);
            response.setHeader("Access-Control-Allow-Headers", REQUEST_HEADERS);
            response.setHeader("Access-Control-Max-Age", MAX_AGE_SECONDS);
            response.setStatus(HttpServletResponse.SC_NO_CONTENT);
        }
    }
}
