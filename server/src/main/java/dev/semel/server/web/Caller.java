package dev.semel.server.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.id.TextFormat;
import dev.semel.json.Fingerprint;
import dev.semel.store.IdempotencyKey;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The authenticated user who sent a request.
 *
 * @param user the name of the user, see {@link #isName}
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

    /** Whether a token may have this user name: {@linkplain IdempotencyKey#isUser a valid one} without the reserved prefix. */
    public static boolean isName(@Nullable String name) {
        return IdempotencyKey.isUser(name) && !Objects.requireNonNull(name).startsWith(RESERVED_PREFIX);
    }

    /**
     * Returns a text of {@code A-Za-z0-9_-} that identifies a user in keys of documents: the name if it consists of these characters,
     * otherwise a hash behind the reserved prefix.
     */
    public static String keyPart(String user) {
        return TextFormat.TEXT.isValid(user)
                ? user
                : RESERVED_PREFIX + "user-"
                        + Fingerprint.ofBytes(user.getBytes(UTF_8)).hex();
    }

    /** Describes valid user names, to follow the name of a field. */
    public static final String NAMES =
            "must have 1 to 255 characters and no control characters, must not be . or .., and must not begin with "
                    + RESERVED_PREFIX;

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
