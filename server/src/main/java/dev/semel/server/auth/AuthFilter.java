package dev.semel.server.auth;

import dev.semel.http.Problem;
import dev.semel.server.auth.Tokens.BadTokenException;
import dev.semel.server.auth.Tokens.KeysUnavailableException;
import dev.semel.server.web.Caller;
import dev.semel.server.web.Callers;
import dev.semel.server.web.ErrorPages;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Routes;
import dev.semel.server.web.Routes.Access;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Authenticates requests by JWT. Routes without authentication and unknown paths need no token. */
public final class AuthFilter extends HttpFilter implements Callers {

    private static final long serialVersionUID = 1L;
    private static final String SCHEME = "Bearer ";
    private static final Logger LOG = LoggerFactory.getLogger(AuthFilter.class);

    private final transient Routes routes;
    private final transient KnownTokens tokens;

    public AuthFilter(Routes routes, Tokens tokens, InstantSource clock) {
        this.routes = routes;
        this.tokens = new KnownTokens(tokens, clock);
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Access access =
                routes.find(request).map(match -> match.route().access()).orElse(Access.PUBLIC);
        if (access != Access.PUBLIC) {
            Caller caller;
            try {
                caller = byToken(token(request)).caller();
            } catch (ProblemException e) {
                if (e.problem().status() == HttpServletResponse.SC_UNAUTHORIZED) {
                    response.setHeader("WWW-Authenticate", CHALLENGE);
                }
                ErrorPages.send(e.problem(), request, response);
                return;
            }
            if (access == Access.OPERATORS && !caller.isOperator()) {
                Problem problem =
                        Problem.of(403, "not_operator", "Forbidden").detailed("The token must have the role operator");
                ErrorPages.send(problem, request, response);
                return;
            }
            caller.attachTo(request);
        }
        chain.doFilter(request, response);
    }

    @Override
    public Known byToken(String token) {
        try {
            Tokens.Checked checked = tokens.check(token);
            return new Known(checked.caller(), checked.expires());
        } catch (BadTokenException e) {
            throw unauthorized(e.fault());
        } catch (KeysUnavailableException e) {
            LOG.atWarn().setCause(e).log("The keys that verify tokens are unavailable");
            throw new ProblemException(
                    Problem.of(503, "keys_unavailable", "Keys unavailable").with(Problem.RETRY_AFTER, 1000));
        }
    }

    private static ProblemException unauthorized(String fault) {
        return new ProblemException(
                Problem.of(401, "unauthorized", "Unauthorized").detailed("The token is not valid: " + fault));
    }

    @Override
    public String token(HttpServletRequest request) {
        List<String> headers = Collections.list(request.getHeaders("Authorization"));
        if (headers.size() != 1) {
            throw unauthorized(
                    headers.isEmpty()
                            ? "it is missing; send Authorization: Bearer TOKEN"
                            : "there is more than one header Authorization");
        }
        String header = headers.get(0);
        if (!header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            throw unauthorized("send Authorization: Bearer TOKEN");
        }
        return header.substring(SCHEME.length()).strip();
    }
}
