package dev.semel.server.migration;

import dev.semel.json.Fingerprint;

/**
 * A document of a source, as a line of JSON.
 *
 * @param number the number of the line; in a store, the position of the document
 * @param bytes the line without its line break, at most {@value #LONGEST} bytes of it
 * @param cut whether the line is longer
 * @param checksum SHA-256 of the bytes
 * @param cursor where a source that can seek continues after this document; empty for others
 */
record SourceLine(long number, byte[] bytes, boolean cut, Fingerprint checksum, String cursor) {

    SourceLine(long number, byte[] bytes, boolean cut, String cursor) {
        this(number, bytes, cut, Fingerprint.ofBytes(bytes), cursor);
    }

    /** A document of the largest size that the server accepts, and space for the other members. */
    static final int LONGEST = (1 << 20) + (1 << 16);
}
