package dev.semel.store;

import dev.semel.id.IdFormat.Fault;
import dev.semel.id.MalformedException;
import dev.semel.id.TextFormat;
import java.util.Comparator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An idempotency key: identifies an operation that runs once. A key belongs to one user and one endpoint; the same key of another user or
 * endpoint is a different key.
 *
 * @param user the user who sends the key: 1 to 255 of {@code A-Za-z0-9_-}
 * @param endpoint the operation. For HTTP, the method and the concrete path, so the same key on two posts is two keys. 1 to
 *     {@value #LONGEST_ENDPOINT} characters, no control characters
 * @param key made by the client: 1 to 255 of {@code A-Za-z0-9_-}
 */
public record IdempotencyKey(String user, String endpoint, String key) {

    /** The order of keys: by user, endpoint and key. */
    public static final Comparator<IdempotencyKey> ORDER = Comparator.comparing(IdempotencyKey::user)
            .thenComparing(IdempotencyKey::endpoint)
            .thenComparing(IdempotencyKey::key);

    /** The most characters of an endpoint. */
    public static final int LONGEST_ENDPOINT = 2048;

    /**
     * Checks the parts of the key.
     *
     * @throws MalformedException naming the part that is missing or malformed
     */
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
     * Returns the key of a {@linkplain #cursor cursor}.
     *
     * @throws IllegalArgumentException if the text is no such cursor
     */
    public static IdempotencyKey ofCursor(String cursor) {
        String[] parts = cursor.split("\n", -1);
        if (parts.length != 3) {
            throw new IllegalArgumentException("Not a cursor of a page of keys");
        }
        return new IdempotencyKey(parts[0], parts[1], parts[2]);
    }

    /** Returns a cursor for a page of keys that ends with this one. */
    public String cursor() {
        return user + "\n" + endpoint + "\n" + key;
    }

    /** Compares the keys first, since they differ most often. */
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
