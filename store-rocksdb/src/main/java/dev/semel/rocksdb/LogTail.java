package dev.semel.rocksdb;

import dev.semel.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * Distinguishes a write-ahead log that was cut off by a power failure from one that is damaged.
 *
 * <p>If a record extends beyond the end of the log, RocksDB assumes that the power failed while it was written. It drops this record and
 * everything after it. But if the length of the record is what was damaged, acknowledged commits follow it. So a log is rejected if an
 * intact record follows such a record. All logs but the last were complete before the next one was started, so each of their records has to
 * be intact.
 *
 * <p>A log consists of blocks of 32 KiB, and no record crosses the end of a block. So only the last block can contain a record that is too
 * long. A record has a checksum (4 bytes), the length of its content (2), a type (1), and the content. If no header fits into the rest of a
 * block, the rest is zeros.
 */
final class LogTail {

    private static final int BLOCK = 1 << 15;
    private static final int HEADER = 7;
    private static final int LENGTH = 4;
    private static final int TYPE = 6;
    private static final int LAST_TYPE = 4; // full, or the first, middle or last fragment of a write
    private static final int CHECKSUM_MASK = 0xa282ead8;

    private final ByteBuffer block;

    private LogTail(ByteBuffer block) {
        this.block = block;
    }

    /**
     * Checks all logs of a database.
     *
     * @param synced whether commits are synced. If not, a power failure may have cut off any of the logs
     * @throws StoreException if a log is damaged
     */
    static void rejectIfDamaged(Path database, boolean synced) throws IOException {
        if (!Files.isDirectory(database)) {
            throw StoreException.rejected("Cannot open the store in " + database + ": its files are missing");
        }
        List<Path> logs;
        try (Stream<Path> files = Files.list(database)) {
            logs = files.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .toList();
        }
        for (int i = 0; i < logs.size(); i++) {
            boolean isLast = i == logs.size() - 1;
            long damaged = isLast || !synced ? damagedAtItsEnd(logs.get(i)) : damagedAnywhere(logs.get(i));
            if (damaged >= 0) {
                throw StoreException.rejected("Cannot open the store in " + database + ": the log "
                        + logs.get(i).getFileName() + " is damaged at byte " + damaged
                        + (isLast ? ", before its end" : ""));
            }
        }
    }

    private static long damagedAtItsEnd(Path log) throws IOException {
        long size = Files.size(log);
        long start = Math.max(0, size - 1) / BLOCK * BLOCK;
        int damaged = block(log, start, (int) (size - start)).damagedAt();
        return damaged < 0 ? damaged : start + damaged;
    }

    private static long damagedAnywhere(Path log) throws IOException {
        long size = Files.size(log);
        for (long start = 0; start < size; start += BLOCK) {
            LogTail block = block(log, start, (int) Math.min(BLOCK, size - start));
            int end = block.endOfWholeRecords();
            if (end < block.block.limit() && (end + HEADER <= BLOCK || start + BLOCK >= size)) {
                return start + end;
            }
        }
        return -1;
    }

    private static LogTail block(Path log, long start, int length) throws IOException {
        ByteBuffer block = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel channel = FileChannel.open(log)) {
            while (block.hasRemaining() && channel.read(block, start + block.position()) >= 0) {
                // read until the block is full
            }
        }
        return new LogTail(block.flip());
    }

    /** Returns the position of a damaged record that is followed by an intact one; -1 if there is none. */
    private int damagedAt() {
        int at = 0;
        while (fits(at)) {
            at = end(at);
        }
        for (int later = at + 1; later + HEADER <= block.limit(); later++) {
            if (fits(later) && isWhole(later)) {
                return at;
            }
        }
        return -1;
    }

    private int endOfWholeRecords() {
        int at = 0;
        while (fits(at) && block.get(at + TYPE) != 0 && hasRightChecksum(at)) {
            at = end(at);
        }
        return at;
    }

    /** Returns the end of a record, according to its length field. */
    private int end(int at) {
        return at + HEADER + Short.toUnsignedInt(block.getShort(at + LENGTH));
    }

    private boolean fits(int at) {
        return at + HEADER <= block.limit() && end(at) <= block.limit();
    }

    private boolean isWhole(int at) {
        byte type = block.get(at + TYPE);
        return type >= 1 && type <= LAST_TYPE && hasRightChecksum(at);
    }

    private boolean hasRightChecksum(int at) {
        CRC32C checksum = new CRC32C();
        checksum.update(block.slice(at + TYPE, end(at) - at - TYPE));
        return Integer.rotateRight((int) checksum.getValue(), 15) + CHECKSUM_MASK == block.getInt(at);
    }
}
