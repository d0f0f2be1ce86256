package dev.semel.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Decodes the output of a {@link ByteWriter}. Throws an {@link IllegalStateException} if the bytes are truncated or malformed. */
final class ByteReader {

    private final byte[] bytes;
    private int position;

    ByteReader(byte[] bytes) {
        this.bytes = bytes;
    }

    int readByte() {
        require(1);
        return bytes[position++] & 0xFF;
    }

    long readVarint() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            int next = readByte();
            value |= (long) (next & 0x7F) << shift;
            if (next < 0x80) {
                return value;
            }
        }
        throw new IllegalStateException("A number is longer than 64 bits");
    }

    byte[] readBytes(long count) {
        require(count);
        byte[] read = Arrays.copyOfRange(bytes, position, position + (int) count);
        position += (int) count;
        return read;
    }

    byte[] readBlock() {
        return readBytes(readVarint());
    }

    String readText() {
        int count = (int) readVarint();
        require(count);
        String text = new String(bytes, position, count, UTF_8);
        position += count;
        return text;
    }

    /** Reads a text that was written by {@link ByteWriter#addChars}. */
    String readChars() {
        long count = readVarint();
        require(count);
        StringBuilder text = new StringBuilder((int) count);
        for (long i = 0; i < count; i++) {
            text.append((char) readVarint());
        }
        return text.toString();
    }

    Instant readInstant() {
        long zigzag = readVarint();
        return Instant.ofEpochSecond((zigzag >>> 1) ^ -(zigzag & 1), readVarint());
    }

    @Nullable Instant readOptionalInstant() {
        return readByte() == 0 ? null : readInstant();
    }

    /** Whether all bytes were read. */
    boolean isAtEnd() {
        return position == bytes.length;
    }

    private void require(long count) {
        if (count < 0 || count > bytes.length - position) {
            throw new IllegalStateException("The row is truncated");
        }
    }
}
