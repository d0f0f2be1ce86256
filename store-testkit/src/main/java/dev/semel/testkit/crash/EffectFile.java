package dev.semel.testkit.crash;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The effects of leased operations: a line for each run, with the number of the operation and the fencing token. */
final class EffectFile implements AutoCloseable {

    /** All lines have the same length, which divides the page size: a killed process never leaves half a line. */
    static final int LINE_BYTES = 32;

    private final FileChannel channel;

    private EffectFile(FileChannel channel) {
        this.channel = channel;
    }

    static EffectFile open(Path path) throws IOException {
        return new EffectFile(FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    void add(long number, long fencingToken) throws IOException {
        channel.write(ByteBuffer.wrap(String.format(Locale.ROOT, "%011d %019d\n", number, fencingToken)
                .getBytes(US_ASCII)));
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    record Line(long number, long fencingToken) {}

    static List<Line> read(Path path) throws IOException {
        List<Line> lines = new ArrayList<>();
        if (Files.exists(path)) {
            for (String line : Files.readAllLines(path, US_ASCII)) {
                lines.add(new Line(Long.parseLong(line.substring(0, 11)), Long.parseLong(line.substring(12))));
            }
        }
        return lines;
    }

    /** Returns the number of lines. */
    static int count(Path path) throws IOException {
        return Files.exists(path) ? (int) (Files.size(path) / LINE_BYTES) : 0;
    }
}
