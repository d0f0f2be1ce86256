package dev.semel.server.auth;

import dev.semel.http.Problem;
import dev.semel.http.servlet.ProblemSender;
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
 * Lets through only what was meant for this machine and comes from it. A page from anywhere can make a browser here send requests;
 * it is told by its Origin, and if it had its own name point here, by the Host.
 */
public final class LoopbackGuard extends HttpFilter {

    private static final long serialVersionUID = 1L;

    private static final Pattern LOOPBACK =
            Pattern.compile("(localhost|127(\\.[0-9]{1,3}){3}|\\[::1\\])(:[0-9]{1,5})?");

    private final String host;

    /** @param host what the server was told to listen on, which is this machine, too */
    public LoopbackGuard(String host) {
        this.host = host;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        List<String> hosts = Collections.list(request.getHeaders("Host"));
        List<String> origins = Collections.list(request.getHeaders("Origin"));
        if (hosts.stream().anyMatch(host -> !isOurs(host)) || !isOurs(request.getServerName())) {
            reject(response, "foreign_host", "Foreign Host");
        } else if (!origins.stream().allMatch(origin -> isOwn(origin, hosts))) {
            reject(response, "foreign_origin", "Foreign Origin");
        } else {
            chain.doFilter(request, response);
        }
    }

    private boolean isOurs(String authority) {
        return authority.equalsIgnoreCase(host)
                || authority.regionMatches(true, 0, host + ":", 0, host.length() + 1)
                || LOOPBACK.matcher(authority.toLowerCase(Locale.ROOT)).matches();
    }

    /** Another port of this machine is another origin. */
    private static boolean isOwn(String origin, List<String> hosts) {
        return hosts.stream()
                .anyMatch(host ->
                        origin.equalsIgnoreCase("http://" + host) || origin.equalsIgnoreCase("https://" + host));
    }

    private static void reject(HttpServletResponse response, String code, String error) throws IOException {
        Problem problem = Problem.of(403, code, error)
                .detailed("Without --auth the server accepts requests only from this machine, sent to this machine");
        ProblemSender.send(problem, response);
    }
}
