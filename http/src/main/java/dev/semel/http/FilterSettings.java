package dev.semel.http;

import dev.semel.once.OnceSettings;

/**
 * How much the filter takes and holds of each request with a key.
 *
 * @param requestLimit the most bytes of a body that are taken
 * @param streamAfter how many bytes of a leased route's answer are held back until it is recorded; a longer one is sent while it is made
 * @param responseLimit the most bytes of a streamed answer that are copied for retries
 */
public record FilterSettings(int requestLimit, int streamAfter, int responseLimit) {

    private static final int LARGEST = 1 << 30;

    /** A mebibyte, 64 KiB, and as much as is kept by default. */
    public static final FilterSettings DEFAULTS =
            new FilterSettings(1 << 20, 64 << 10, OnceSettings.DEFAULTS.responseLimit());

    /** @throws IllegalArgumentException naming the one that is negative or over a gibibyte */
    public FilterSettings {
        requireFits("requestLimit", requestLimit);
        requireFits("streamAfter", streamAfter);
        requireFits("responseLimit", responseLimit);
    }

    private static void requireFits(String name, int bytes) {
        if (bytes < 0 || bytes > LARGEST) {
            throw new IllegalArgumentException(name + " is negative or over a gibibyte: " + bytes);
        }
    }
}
