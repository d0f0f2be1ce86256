package dev.semel.server.web;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;

/** Authenticates callers by their tokens. */
public interface Callers {

    /** The value of the header {@code WWW-Authenticate} in responses with 401. */
    String CHALLENGE = "Bearer realm=\"semel\"";

    /**
     * An authenticated caller.
     *
     * @param expires when the token expires
     */
    record Known(Caller caller, Instant expires) {}

    /**
     * Returns the token in the header of a request.
     *
     * @throws ProblemException if there is no token, or more than one
     */
    String token(HttpServletRequest request);

    /**
     * Returns the caller of a token.
     *
     * @throws ProblemException if the token is invalid, or the keys that verify it are unavailable
     */
    Known byToken(String token);
}
