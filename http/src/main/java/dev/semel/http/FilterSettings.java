package dev.semel.http;

import dev.semel.once.OnceSettings;

/**
 * Memory limits for requests with a key.
 *
 * @param requestLimit maximum size of a request body in bytes; larger requests are rejected
 * @param streamAfter maximum size in bytes of a leased route's response that is sent after it is recorded; larger responses are streamed
 * @param responseLimit maximum size in bytes of a streamed response that is kept for retries
 */
public record FilterSettings(int requestLimit, int streamAfter, int responseLimit) {

    private static final int LARGEST = 1 << 30;

    /** The defaults: bodies of up to 1 MiB, streaming after 64 KiB, and the default response limit of {@link OnceSettings}. */
    public static final FilterSettings DEFAULTS =
            new FilterSettings(1 << 20, 64 << 10, OnceSettings.DEFAULTS.responseLimit());

    /**
     * Checks the settings.
     *
     * @throws IllegalArgumentException if one is negative or exceeds 1 GiB
     */
    public FilterSettings {
        requireFits("requestLimit", requestLimit);
        requireFits("streamAfter", streamAfter);
        requireFits("responseLimit", responseLimit);
    }

    private static void requireFits(String name, int bytes) {
        if (bytes < 0 || bytes > LARGEST) {
            throw new IllegalArgumentException(name + " must be between 0 and " + LARGEST + " bytes, not " + bytes);
        }
    }
}
