package dev.semel.server.web;

import dev.semel.id.TextFormat;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The authenticated user who sent a request.
 *
 * @param user 1 to 255 of {@code A-Za-z0-9_-}
 * @param roles the roles of the user
 * @param until the time at which the user's token expires
 */
public record Caller(String user, Set<String> roles, Instant until) {

    /** The role that grants access to the operator API. */
    public static final String OPERATOR = "operator";

    private static final String ATTRIBUTE = Caller.class.getName();

    public Caller {
        roles = Set.copyOf(roles);
    }

    /** Prefix of internal user names, which no token may use. */
    public static final String RESERVED_PREFIX = "semel--";

    /** Whether a token may have this user name: 1 to 255 of {@code A-Za-z0-9_-} without the reserved prefix. */
    public static boolean isName(@Nullable String name) {
        return name != null && TextFormat.TEXT.isValid(name) && !name.startsWith(RESERVED_PREFIX);
    }

    /** Describes valid user names, to follow the name of a field. */
    public static final String NAMES =
            "must be 1 to 255 of A-Z, a-z, 0-9, _ and -, and must not begin with " + RESERVED_PREFIX;

    /** Returns the caller of a request; null if the route is open to all. */
    public static @Nullable Caller of(HttpServletRequest request) {
        return (Caller) request.getAttribute(ATTRIBUTE);
    }

    /** Whether the caller has the role of operators. */
    public boolean isOperator() {
        return roles.contains(OPERATOR);
    }

    /** Attaches the caller to a request, for {@link #of}. */
    public void attachTo(HttpServletRequest request) {
        request.setAttribute(ATTRIBUTE, this);
    }
}
