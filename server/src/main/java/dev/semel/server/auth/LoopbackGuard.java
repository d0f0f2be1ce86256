package dev.semel.server.auth;

import dev.semel.http.Problem;
import dev.semel.server.web.Cors;
import dev.semel.server.web.ErrorPages;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Rejects requests that web pages of other origins make a browser on this machine send. The header {@code Origin} identifies such a page;
 * {@code Host} identifies one whose host name was made to resolve to this machine (DNS rebinding).
 */
public final class LoopbackGuard extends HttpFilter {

    private static final long serialVersionUID = 1L;

    private static final Pattern LOOPBACK =
            Pattern.compile("(localhost|127(\\.[0-9]{1,3}){3}|\\[::1\\])(:[0-9]{1,5})?");

    private final String host;
    private final transient Cors cors;

    /**
     * Creates a guard.
     *
     * @param host the address that the server listens on, which is accepted as {@code Host}, too
     * @param cors the other origins whose pages may send requests
     */
    public LoopbackGuard(String host, Cors cors) {
        this.host = host;
        this.cors = cors;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        List<String> hosts = Collections.list(request.getHeaders("Host"));
        List<String> origins = Collections.list(request.getHeaders("Origin"));
        if (hosts.stream().anyMatch(host -> !isOurs(host)) || !isOurs(request.getServerName())) {
            reject(request, response, "foreign_host", "Foreign Host");
        } else if (!origins.stream().allMatch(origin -> isOwn(origin, hosts) || cors.allows(origin))) {
            reject(request, response, "foreign_origin", "Foreign Origin");
        } else {
            chain.doFilter(request, response);
        }
    }

    private boolean isOurs(String authority) {
        return authority.equalsIgnoreCase(host)
                || authority.regionMatches(true, 0, host + ":", 0, host.length() + 1)
                || LOOPBACK.matcher(authority.toLowerCase(Locale.ROOT)).matches();
    }

    /** Compares ports as well, because another port is another origin. */
    private static boolean isOwn(String origin, List<String> hosts) {
        return hosts.stream()
                .anyMatch(host ->
                        origin.equalsIgnoreCase("http://" + host) || origin.equalsIgnoreCase("https://" + host));
    }

    private static void reject(HttpServletRequest request, HttpServletResponse response, String code, String error)
            throws IOException {
        Problem problem = Problem.of(403, code, error)
                .detailed("Without --auth the server accepts requests only from this machine, sent to this machine");
        ErrorPages.send(problem, request, response);
    }
}
