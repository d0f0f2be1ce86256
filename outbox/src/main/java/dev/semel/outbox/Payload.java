package dev.semel.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The body of a request, byte for byte as it is sent. Immutable. */
public final class Payload {

    /** The most bytes of a payload. */
    public static final int MOST_BYTES = 1 << 20;

    private final byte[] bytes;

    private Payload(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Copies the bytes of a payload.
     *
     * @throws IllegalArgumentException if there are more than {@value #MOST_BYTES}
     */
    public static Payload of(byte[] bytes) {
        checkLength(bytes.length);
        return new Payload(bytes.clone());
    }

    private static void checkLength(int bytes) {
        if (bytes > MOST_BYTES) {
            throw new IllegalArgumentException("The payload has " + bytes + " bytes; the most is " + MOST_BYTES);
        }
    }

    /**
     * Encodes a text in UTF-8.
     *
     * @throws IllegalArgumentException if it has more than {@value #MOST_BYTES} bytes, or contains half of a surrogate pair
     */
    public static Payload of(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        checkLength(bytes.length);
        if (!new String(bytes, UTF_8).equals(text)) {
            throw new IllegalArgumentException(
                    "The payload contains half of a surrogate pair, which UTF-8 cannot encode");
        }
        return new Payload(bytes);
    }

    /** Returns a copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** Returns the body of a request, without copying the bytes. */
    BodyPublisher publisher() {
        return BodyPublishers.ofByteArray(bytes);
    }

    /** Returns the payload as text in UTF-8. */
    public String text() {
        return new String(bytes, UTF_8);
    }

    /** Returns the number of bytes. */
    public int length() {
        return bytes.length;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Payload that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Returns a text without the content, which is private: it may be logged. */
    @Override
    public String toString() {
        return "Payload[" + bytes.length + " bytes]";
    }
}
