package dev.semel.http;

import dev.semel.once.OnceSettings;

/**
 * Limits of the memory and the threads that requests with a key hold.
 *
 * @param requestLimit maximum size of a request body in bytes; larger requests are rejected
 * @param streamAfter maximum size in bytes of a leased route's response that is sent after it is recorded; larger responses are streamed
 * @param responseLimit maximum size in bytes of a streamed response that is kept for retries
 * @param waiting maximum number of requests that wait at once, on platform threads: for the response of another with {@code Prefer: wait},
 *     or, on Tomcat, for an asynchronous handler whose client has disconnected; others are rejected, or end, at once
 */
public record FilterSettings(int requestLimit, int streamAfter, int responseLimit, int waiting) {

    private static final int LARGEST = 1 << 30;
    private static final int WAITING = 16;

    /**
     * The defaults: bodies of up to 1 MiB, streaming after 64 KiB, the default response limit of {@link OnceSettings}, and 16 waiting
     * requests.
     */
    public static final FilterSettings DEFAULTS =
            new FilterSettings(1 << 20, 64 << 10, OnceSettings.DEFAULTS.responseLimit());

    /**
     * Checks the settings.
     *
     * @throws IllegalArgumentException if one is negative, or a size exceeds 1 GiB
     */
    public FilterSettings {
        requireFits("requestLimit", requestLimit);
        requireFits("streamAfter", streamAfter);
        requireFits("responseLimit", responseLimit);
        if (waiting < 0) {
            throw new IllegalArgumentException("waiting must not be negative, but is " + waiting);
        }
    }

    /** Settings with the default number of waiting requests. */
    public FilterSettings(int requestLimit, int streamAfter, int responseLimit) {
        this(requestLimit, streamAfter, responseLimit, WAITING);
    }

    private static void requireFits(String name, int bytes) {
        if (bytes < 0 || bytes > LARGEST) {
            throw new IllegalArgumentException(name + " must be between 0 and " + LARGEST + " bytes, not " + bytes);
        }
    }
}
