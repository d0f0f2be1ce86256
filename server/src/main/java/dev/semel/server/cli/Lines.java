package dev.semel.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lines of a stream of any content: bytes that are not UTF-8 are replaced, and a line is cut after a number of bytes, so that no
 * input fills the memory.
 */
final class Lines {

    static final int LONGEST = 1 << 20;

    private final InputStream in;
    private final String name;
    private final int longest;
    private boolean cut;
    private boolean utf8 = true;

    /** Cuts lines after {@value #LONGEST} bytes. */
    Lines(InputStream in) {
        this(in, "standard input", LONGEST);
    }

    /** @param name name of the input, for errors */
    Lines(InputStream in, String name, int longest) {
        this.in = new BufferedInputStream(in, 1 << 16);
        this.name = name;
        this.longest = longest;
    }

    /** Returns the next line without its line break; null after the last line. */
    @Nullable String next() {
        try {
            int c = in.read();
            if (c < 0) {
                return null;
            }
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            cut = false;
            while (c >= 0 && c != '\n') {
                if (line.size() < longest) {
                    line.write(c);
                } else {
                    cut = true;
                }
                c = in.read();
            }
            String text = decode(line.toByteArray());
            return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private String decode(byte[] line) {
        try {
            utf8 = true;
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
        } catch (CharacterCodingException e) {
            utf8 = false;
            return new String(line, UTF_8);
        }
    }

    /** Returns whether the last line was cut. */
    boolean wasCut() {
        return cut;
    }

    /** Returns whether the last line was UTF-8. */
    boolean wasUtf8() {
        return utf8;
    }

    private UncheckedIOException unreadable(IOException e) {
        return new UncheckedIOException("Cannot read " + name + ": " + e.getMessage(), e);
    }

    /** Returns whether the next byte can be read without blocking. */
    boolean isReady() {
        try {
            return in.available() > 0;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }
}
