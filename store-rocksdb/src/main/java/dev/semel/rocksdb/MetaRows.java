package dev.semel.rocksdb;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.semel.store.Quota;
import dev.semel.store.StoreException;
import dev.semel.store.admin.StoreAdmin.Cleanup;
import dev.semel.store.spi.IdempotencyRecord;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Encodes and decodes the rows of the meta family: the commit sequence number, the starts that quotas count, and the cleanup log. */
final class MetaRows {

    /** Key of the upper bound of the commit sequence numbers that may have been assigned. */
    static final byte[] SEQUENCE = "sequence".getBytes(US_ASCII);

    private static final String CLEANUP = "cleanup";
    private static final String START = "start";

    private MetaRows() {}

    static byte[] sequenceValue(long sequence) {
        return new ByteWriter(10).addVarint(sequence).toBytes();
    }

    static long sequence(byte[] value) {
        try {
            return new ByteReader(value).readVarint();
        } catch (IllegalStateException | IllegalArgumentException e) {
            throw StoreException.rejected("Cannot read the commit sequence number: it is damaged");
        }
    }

    /** Returns the prefix of a user's earlier starts. */
    static byte[] startPrefix(String user) {
        return Rows.join(START, user, "");
    }

    /** Returns the row of an earlier start of a key that is started again; null if quotas no longer count it. */
    static byte @Nullable [] startKey(IdempotencyRecord earlier, Instant now) {
        return earlier.createdAt().isAfter(now.minus(Quota.LONGEST))
                ? Rows.join(START, earlier.key().user(), earlier.commitId())
                : null;
    }

    static byte[] startValue(IdempotencyRecord earlier) {
        return new ByteWriter(10).addInstant(earlier.createdAt()).toBytes();
    }

    static Instant startTime(byte[] value) {
        return new ByteReader(value).readInstant();
    }

    /** Whether a row is an earlier start that quotas no longer count. */
    static boolean isExpiredStart(byte[] row, byte[] value, Instant now) {
        return Rows.startsWith(row, Rows.join(START, "")) && !startTime(value).isAfter(now.minus(Quota.LONGEST));
    }

    /** Returns the prefix of the cleanup log. */
    static byte[] cleanupPrefix() {
        return Rows.join(CLEANUP, "");
    }

    /** Returns the row of an entry in the cleanup log. The latest entries sort first. */
    static byte[] cleanupKey(Cleanup cleanup) {
        Instant time = cleanup.time();
        long micros = TimeUnit.SECONDS.toMicros(time.getEpochSecond()) + TimeUnit.NANOSECONDS.toMicros(time.getNano());
        return Rows.join(CLEANUP, "%016x".formatted(Long.MAX_VALUE - micros), cleanup.table());
    }

    static byte[] cleanupValue(Cleanup cleanup) {
        return new ByteWriter(40)
                .addByte(Rows.LAYOUT)
                .addText(cleanup.table())
                .addVarint(cleanup.deleted())
                .addInstant(cleanup.time())
                .toBytes();
    }

    static Cleanup cleanup(byte[] value) {
        return Rows.read("an entry of the cleanup log", value, in -> {
            String table = in.readText();
            long deleted = in.readVarint();
            return new Cleanup(table, deleted, in.readInstant());
        });
    }
}
