package dev.semel.server.migration;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Lines of JSON from a file or another stream. Empty lines are skipped, but counted. */
public final class NdjsonSource extends MigrationSource {

    private final InputStream in;
    private final String name;
    private final long length;
    private final byte[] buffer = new byte[1 << 16];
    private int at;
    private int end;
    private long line;
    private final AtomicLong read = new AtomicLong();

    /**
     * Reads a stream, which is closed with this source.
     *
     * @param name the name of the file, for errors and reports
     * @param length the number of bytes; 0 if it is unknown
     */
    public NdjsonSource(InputStream in, String name, long length) {
        super(new SourceId(name, false));
        this.in = in;
        this.name = name;
        this.length = length;
    }

    @Override
    @Nullable SourceLine next() {
        try {
            while (true) {
                if (at == end && !fill()) {
                    return null;
                }
                SourceLine next = nextLine();
                if (!isBlank(next.bytes())) {
                    return next;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + name + ": " + e.getMessage(), e);
        }
    }

    private SourceLine nextLine() throws IOException {
        line++;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        boolean cut = false;
        do {
            int from = at;
            while (at < end && buffer[at] != '\n') {
                at++;
            }
            int kept = Math.min(at - from, SourceLine.LONGEST - bytes.size());
            bytes.write(buffer, from, kept);
            cut |= kept < at - from;
        } while (at == end && fill());
        at = Math.min(at + 1, end); // the line break
        return new SourceLine(line, bytes.toByteArray(), cut, "");
    }

    private boolean fill() throws IOException {
        at = 0;
        end = Math.max(0, in.read(buffer));
        read.addAndGet(end);
        return end > 0;
    }

    private static boolean isBlank(byte[] line) {
        for (byte each : line) {
            if (each != ' ' && each != '\t' && each != '\r') {
                return false;
            }
        }
        return true;
    }

    @Override
    public double fraction() {
        return length == 0 ? 0 : Math.min(1, (double) read.get() / length);
    }

    @Override
    public void close() {
        try {
            in.close();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot close " + name + ": " + e.getMessage(), e);
        }
    }
}
