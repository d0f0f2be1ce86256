package dev.semel.server.web;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;

/** Tells by their tokens who sends requests. */
public interface Callers {

    /** What is said in the header {@code WWW-Authenticate} to those who have none that holds. */
    String CHALLENGE = "Bearer realm=\"semel\"";

    /**
     * Somebody whose token holds.
     *
     * @param expires until when it does at most
     */
    record Known(Caller caller, Instant expires) {}

    /**
     * The token that a request carries in its header.
     *
     * @throws ProblemException if there is none, or there are several
     */
    String token(HttpServletRequest request);

    /**
     * Who holds a token.
     *
     * @throws ProblemException if it does not hold, or that cannot be told
     */
    Known byToken(String token);
}
