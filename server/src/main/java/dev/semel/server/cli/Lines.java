package dev.semel.server.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lines of a stream of any content: bytes that are not UTF-8 are replaced, and a line is cut after a number of characters, so that
 * no input fills the memory.
 */
final class Lines {

    static final int LONGEST = 1 << 20;

    private final Reader in;
    private final int longest;
    private boolean cut;

    /** Cuts lines after {@value #LONGEST} characters. */
    Lines(InputStream in) {
        this(in, LONGEST);
    }

    Lines(InputStream in, int longest) {
        this.longest = longest;
        this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8), 1 << 16);
    }

    /** Returns the next line without its line break; null after the last line. */
    @Nullable String next() {
        try {
            int c = in.read();
            if (c < 0) {
                return null;
            }
            StringBuilder line = new StringBuilder();
            cut = false;
            while (c >= 0 && c != '\n') {
                if (line.length() < longest) {
                    line.append((char) c);
                } else {
                    cut = true;
                }
                c = in.read();
            }
            int end = line.length();
            return line.substring(0, end > 0 && line.charAt(end - 1) == '\r' ? end - 1 : end);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /** Returns whether the last line was cut. */
    boolean wasCut() {
        return cut;
    }

    private static UncheckedIOException unreadable(IOException e) {
        return new UncheckedIOException("Cannot read standard input: " + e.getMessage(), e);
    }

    /** Returns whether the next character can be read without blocking. */
    boolean isReady() {
        try {
            return in.ready();
        } catch (IOException e) {
            throw unreadable(e);
        }
    }
}
