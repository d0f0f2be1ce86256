package dev.semel.server.web;

import dev.semel.id.TextFormat;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who sends a request.
 *
 * @param user 1 to 255 of {@code A-Za-z0-9_-}
 * @param roles what they may do beyond what everybody may
 * @param until when what they said who they are with is over
 */
public record Caller(String user, Set<String> roles, Instant until) {

    /** The role of those who look after the server. */
    public static final String OPERATOR = "operator";

    private static final String ATTRIBUTE = Caller.class.getName();

    public Caller {
        roles = Set.copyOf(roles);
    }

    /** What the names begin with under which Semel itself keeps something: nobody else may have one of them. */
    public static final String SEMEL = "semel--";

    /** Whether somebody may be called so: 1 to 255 of {@code A-Za-z0-9_-}, but none of Semel's own names. */
    public static boolean isName(@Nullable String name) {
        return name != null && TextFormat.TEXT.isValid(name) && !name.startsWith(SEMEL);
    }

    /** What {@link #isName} asks for, in words. */
    public static final String NAMES = "has to be 1 to 255 of A-Z, a-z, 0-9, _ and -, and not to begin with " + SEMEL;

    /** Who sends a request; null where nobody was asked. */
    public static @Nullable Caller of(HttpServletRequest request) {
        return (Caller) request.getAttribute(ATTRIBUTE);
    }

    /** Whether they look after the server. */
    public boolean isOperator() {
        return roles.contains(OPERATOR);
    }

    /** Notes that they send a request. */
    public void attachTo(HttpServletRequest request) {
        request.setAttribute(ATTRIBUTE, this);
    }
}
