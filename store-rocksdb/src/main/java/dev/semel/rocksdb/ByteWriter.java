package dev.semel.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Encodes fields into a growing array of bytes. Numbers are varints, as in RocksDB's own log: seven bits in each byte. */
final class ByteWriter {

    private byte[] bytes;
    private int length;

    ByteWriter(int expected) {
        bytes = new byte[expected];
    }

    private void reserve(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }

    ByteWriter addByte(int value) {
        reserve(1);
        bytes[length++] = (byte) value;
        return this;
    }

    ByteWriter addVarint(long value) {
        reserve(10);
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[length++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[length++] = (byte) rest;
        return this;
    }

    ByteWriter addBytes(byte[] value) {
        reserve(value.length);
        System.arraycopy(value, 0, bytes, length, value.length);
        length += value.length;
        return this;
    }

    ByteWriter addAll(ByteWriter other) {
        reserve(other.length);
        System.arraycopy(other.bytes, 0, bytes, length, other.length);
        length += other.length;
        return this;
    }

    /** Adds the length of some bytes, and the bytes. */
    ByteWriter addBlock(byte[] value) {
        return addVarint(value.length).addBytes(value);
    }

    ByteWriter addText(String text) {
        return addBlock(text.getBytes(UTF_8));
    }

    /** Adds a text as UTF-16, which also encodes lone surrogates. UTF-8 would replace them. */
    ByteWriter addChars(String text) {
        addVarint(text.length());
        for (int i = 0; i < text.length(); i++) {
            addVarint(text.charAt(i));
        }
        return this;
    }

    ByteWriter addInstant(Instant instant) {
        long seconds = instant.getEpochSecond();
        return addVarint((seconds << 1) ^ (seconds >> 63)).addVarint(instant.getNano());
    }

    ByteWriter addOptionalInstant(@Nullable Instant instant) {
        return instant == null ? addByte(0) : addByte(1).addInstant(instant);
    }

    int length() {
        return length;
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }
}
