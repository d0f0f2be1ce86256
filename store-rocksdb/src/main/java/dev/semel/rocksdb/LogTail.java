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
 * Tells a log whose end is missing from one that is damaged. RocksDB takes a record that is longer than the rest of the log for one
 * that was being written when the power failed, and drops it and what follows; but if it is its length that was damaged, what
 * follows are commits that were acknowledged. So if there is a whole record behind such a one, the log is refused.
 *
 * <p>A log has blocks of 32 KiB, and no record crosses the end of one: so only the last block can hold such a record. A record is a
 * checksum (4 bytes), the length of its content (2), a type (1), and the content.
 */
final class LogTail {

    private static final int BLOCK = 1 << 15;
    private static final int HEADER = 7;
    private static final int LENGTH = 4;
    private static final int TYPE = 6;
    private static final int LAST_TYPE = 4; // whole, first, middle and last part of what is written at once
    private static final int CHECKSUM_MASK = 0xa282ead8;

    private final ByteBuffer block;

    private LogTail(ByteBuffer block) {
        this.block = block;
    }

    /**
     * Looks at all logs of a database.
     *
     * @throws StoreException if one of them is damaged near its end
     */
    static void refuseIfDamaged(Path database) throws IOException {
        List<Path> logs;
        try (Stream<Path> files = Files.list(database)) {
            logs = files.filter(file -> file.toString().endsWith(".log")).toList();
        }
        for (Path log : logs) {
            long size = Files.size(log);
            long start = Math.max(0, size - 1) / BLOCK * BLOCK;
            int damaged = lastBlock(log, start, (int) (size - start)).damagedAt();
            if (damaged >= 0) {
                throw StoreException.refused("Cannot open the store in " + database + ": the log " + log.getFileName()
                        + " is damaged at byte " + (start + damaged) + ", before its end");
            }
        }
    }

    private static LogTail lastBlock(Path log, long start, int length) throws IOException {
        ByteBuffer block = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel channel = FileChannel.open(log)) {
            while (block.hasRemaining() && channel.read(block, start + block.position()) >= 0) {
                // until it is full
            }
        }
        return new LogTail(block.flip());
    }

    /** Where a record begins that is not whole although one behind it is; -1 if there is none. */
    private int damagedAt() {
        int at = 0;
        while (fits(at)) {
            at = end(at);
        }
        for (int behind = at + 1; behind + HEADER <= block.limit(); behind++) {
            if (fits(behind) && isWhole(behind)) {
                return at;
            }
        }
        return -1;
    }

    /** Where a record ends by what it says. */
    private int end(int at) {
        return at + HEADER + Short.toUnsignedInt(block.getShort(at + LENGTH));
    }

    private boolean fits(int at) {
        return at + HEADER <= block.limit() && end(at) <= block.limit();
    }

    private boolean isWhole(int at) {
        byte type = block.get(at + TYPE);
        if (type < 1 || type > LAST_TYPE) {
            return false;
        }
        CRC32C checksum = new CRC32C();
        checksum.update(block.slice(at + TYPE, end(at) - at - TYPE));
        return Integer.rotateRight((int) checksum.getValue(), 15) + CHECKSUM_MASK == block.getInt(at);
    }
}
