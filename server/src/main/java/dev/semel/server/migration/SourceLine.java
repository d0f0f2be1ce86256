package dev.semel.server.migration;

import dev.semel.json.Fingerprint;

/** A document of a source, as a line of JSON. */
final class SourceLine {

    /** A document of the largest size that the server accepts, and space for the other members. */
    static final int LONGEST = (1 << 20) + (1 << 16);

    private final long number;
    private final byte[] bytes;
    private final boolean cut;
    private final Fingerprint checksum;
    private final String cursor;

    SourceLine(long number, byte[] bytes, boolean cut, String cursor) {
        this(number, bytes, cut, Fingerprint.ofBytes(bytes), cursor);
    }

    /**
     * Makes a line with a known checksum.
     *
     * @param number the number of the line; in a store, the position of the document
     * @param bytes the line without its line break, at most {@value #LONGEST} bytes of it
     * @param cut whether the line is longer
     * @param checksum SHA-256 of the bytes
     * @param cursor where a source that can seek continues after this document; empty for others
     */
    SourceLine(long number, byte[] bytes, boolean cut, Fingerprint checksum, String cursor) {
        this.number = number;
        this.bytes = bytes;
        this.cut = cut;
        this.checksum = checksum;
        this.cursor = cursor;
    }

    long number() {
        return number;
    }

    byte[] bytes() {
        return bytes;
    }

    boolean cut() {
        return cut;
    }

    Fingerprint checksum() {
        return checksum;
    }

    String cursor() {
        return cursor;
    }
}
