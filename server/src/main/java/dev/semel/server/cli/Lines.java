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
 * Lines of a stream, whatever comes: bytes that are no UTF-8 are replaced, and a line that does not end is cut at
 * {@value #LONGEST} characters, so that no input fills the memory.
 */
final class Lines {

    static final int LONGEST = 1 << 20;

    private final Reader in;

    Lines(InputStream in) {
        this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8), 1 << 16);
    }

    /** The next line, without its end, or null after the last. */
    @Nullable String next() {
        try {
            int c = in.read();
            if (c < 0) {
                return null;
            }
            StringBuilder line = new StringBuilder();
            while (c >= 0 && c != '\n') {
                if (line.length() < LONGEST) {
                    line.append((char) c);
                }
                c = in.read();
            }
            int end = line.length();
            return line.substring(0, end > 0 && line.charAt(end - 1) == '\r' ? end - 1 : end);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private static UncheckedIOException unreadable(IOException e) {
        return new UncheckedIOException("cannot read standard input: " + e.getMessage(), e);
    }

    /** Whether there is more to read without waiting for it. */
    boolean isReady() {
        try {
            return in.ready();
        } catch (IOException e) {
            throw unreadable(e);
        }
    }
}
