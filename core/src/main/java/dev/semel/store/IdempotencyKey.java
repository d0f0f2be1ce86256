package dev.semel.store;

import dev.semel.id.IdFormat.Fault;
import dev.semel.id.MalformedException;
import dev.semel.id.TextFormat;
import java.util.Comparator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Under which an operation happens once. A key belongs to one user and one endpoint; the same key elsewhere is another.
 *
 * @param user whose key it is: 1 to 255 of {@code A-Za-z0-9_-}
 * @param endpoint what the operation is: for HTTP the method and the concrete path, so that the same key on two posts is two
 *     keys; 1 to {@value #LONGEST_ENDPOINT} characters, none of them a control character
 * @param key what the client made: 1 to 255 of {@code A-Za-z0-9_-}
 */
public record IdempotencyKey(String user, String endpoint, String key) {

    /** By user, endpoint and key. */
    public static final Comparator<IdempotencyKey> ORDER = Comparator.comparing(IdempotencyKey::user)
            .thenComparing(IdempotencyKey::endpoint)
            .thenComparing(IdempotencyKey::key);

    /** The most characters that an endpoint has. */
    public static final int LONGEST_ENDPOINT = 2048;

    /** @throws MalformedException naming the one that is missing or malformed */
    public IdempotencyKey {
        TextFormat.TEXT.check("user", user);
        checkEndpoint(endpoint);
        TextFormat.TEXT.check("key", key);
    }

    private static void checkEndpoint(@Nullable String endpoint) {
        Fault fault = endpointFault(endpoint);
        if (fault != null) {
            throw new MalformedException(
                    "endpoint", endpoint, fault, "1 to " + LONGEST_ENDPOINT + " characters, no control characters");
        }
    }

    private static @Nullable Fault endpointFault(@Nullable String endpoint) {
        if (endpoint == null) {
            return Fault.missing();
        }
        if (endpoint.isEmpty() || endpoint.length() > LONGEST_ENDPOINT) {
            return Fault.ofLength(endpoint);
        }
        for (int i = 0; i < endpoint.length(); i++) {
            char c = endpoint.charAt(i);
            boolean pairs = Character.isHighSurrogate(c)
                    && i + 1 < endpoint.length()
                    && Character.isLowSurrogate(endpoint.charAt(i + 1));
            if (Character.isISOControl(c) || (Character.isSurrogate(c) && !pairs)) {
                return Fault.ofCharacter(endpoint, i);
            }
            i += pairs ? 1 : 0;
        }
        return null;
    }

    /**
     * Reads what {@link #cursor} has written.
     *
     * @throws IllegalArgumentException if it is nothing of the kind
     */
    public static IdempotencyKey ofCursor(String cursor) {
        String[] parts = cursor.split("\n", -1);
        if (parts.length != 3) {
            throw new IllegalArgumentException("Not where a page of keys ended");
        }
        return new IdempotencyKey(parts[0], parts[1], parts[2]);
    }

    /** The key as a place in the order of keys. */
    public String cursor() {
        return user + "\n" + endpoint + "\n" + key;
    }

    /** By the key first, which is the one that differs. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof IdempotencyKey that
                && key.equals(that.key)
                && user.equals(that.user)
                && endpoint.equals(that.endpoint);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * key.hashCode() + user.hashCode()) + Objects.hashCode(endpoint);
    }
}
