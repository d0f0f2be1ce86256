package dev.semel.store;

import dev.semel.id.IdFormat.Fault;
import dev.semel.id.MalformedException;
import dev.semel.json.Fingerprint;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Comparator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An idempotency key: identifies an operation that runs once. A key belongs to one user and one endpoint; the same key of another user or
 * endpoint is a different key.
 *
 * @param user the user who sends the key, {@linkplain #isUser a valid user name}
 * @param endpoint the operation. For HTTP, the method and the concrete path, so the same key on two posts is two keys. 1 to
 *     {@value #LONGEST_ENDPOINT} characters, no control characters
 * @param key made by the client: 1 to 255 printable ASCII characters, as a string of RFC 8941 can contain them. The HTTP filter accepts only
 *     {@code A-Za-z0-9_-} by default
 */
public record IdempotencyKey(String user, String endpoint, String key) {

    /** The order of keys: by user, endpoint and key. */
    public static final Comparator<IdempotencyKey> ORDER = Comparator.comparing(IdempotencyKey::user)
            .thenComparing(IdempotencyKey::endpoint)
            .thenComparing(IdempotencyKey::key);

    /** The most characters of an endpoint. */
    public static final int LONGEST_ENDPOINT = 2048;

    private static final int LONGEST_NAME = 255;

    /**
     * Checks the parts of the key.
     *
     * @throws MalformedException naming the part that is missing or malformed
     */
    public IdempotencyKey {
        checkUser("user", user);
        Fault ofEndpoint = endpointFault(endpoint);
        if (ofEndpoint != null) {
            throw new MalformedException(
                    "endpoint",
                    endpoint,
                    ofEndpoint,
                    "1 to " + LONGEST_ENDPOINT + " characters, no control characters");
        }
        Fault ofKey = keyFault(key);
        if (ofKey != null) {
            throw new MalformedException("key", key, ofKey, "1 to " + LONGEST_NAME + " printable ASCII characters");
        }
    }

    /**
     * Whether a text is a valid name of a user: 1 to 255 code points without control characters and lone surrogates, and neither {@code .}
     * nor {@code ..}. So {@code bob@example.com}, {@code auth0|42} and {@code Zoë} are valid.
     */
    public static boolean isUser(@Nullable String name) {
        return userFault(name) == null;
    }

    /**
     * Returns a name of a user if it is {@linkplain #isUser valid}.
     *
     * @param field what the name is called in the error
     * @throws MalformedException if the name is missing or malformed
     */
    public static String checkUser(String field, @Nullable String name) {
        Fault fault = userFault(name);
        if (fault != null) {
            throw new MalformedException(
                    field,
                    name,
                    fault,
                    "1 to " + LONGEST_NAME + " characters, no control characters, and neither \".\" nor \"..\"");
        }
        return Objects.requireNonNull(name);
    }

    private static @Nullable Fault userFault(@Nullable String name) {
        if (name == null) {
            return Fault.missing();
        }
        int length = name.codePointCount(0, name.length());
        if (length == 0 || length > LONGEST_NAME) {
            return new Fault(-1, length == 0 ? "is empty" : "has " + length + " characters");
        }
        if (name.equals(".") || name.equals("..")) {
            return new Fault(-1, "is a relative path");
        }
        return characterFault(name);
    }

    private static @Nullable Fault endpointFault(@Nullable String endpoint) {
        if (endpoint == null) {
            return Fault.missing();
        }
        if (endpoint.isEmpty() || endpoint.length() > LONGEST_ENDPOINT) {
            return Fault.ofLength(endpoint);
        }
        return characterFault(endpoint);
    }

    private static @Nullable Fault keyFault(@Nullable String key) {
        if (key == null) {
            return Fault.missing();
        }
        if (key.isEmpty() || key.length() > LONGEST_NAME) {
            return Fault.ofLength(key);
        }
        for (int i = 0; i < key.length(); i++) {
            if (key.charAt(i) < ' ' || key.charAt(i) > '~') {
                return Fault.ofCharacter(key, i);
            }
        }
        return null;
    }

    /** Finds control characters, which separate texts in stores, and lone surrogates, which UTF-8 cannot encode. */
    private static @Nullable Fault characterFault(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean pairs = Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (Character.isISOControl(c) || (Character.isSurrogate(c) && !pairs)) {
                return Fault.ofCharacter(text, i);
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

    /**
     * Returns a key to pass on to another system: the same in each run of this operation, and different for other keys and purposes.
     *
     * @param purpose tells several keys of one operation apart, such as {@code refund}
     * @return 43 of {@code A-Za-z0-9_-}
     */
    public String derive(String purpose) {
        String parts = String.join("\n", user, endpoint, key, purpose); // only the last one may contain a line break
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(Fingerprint.ofBytes(parts.getBytes(StandardCharsets.UTF_8))
                        .bytes());
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
