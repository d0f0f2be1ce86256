package dev.semel.rocksdb;

import dev.semel.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.rocksdb.ReadOptions;
import org.rocksdb.Snapshot;

/**
 * Copies a store to a new directory, row by row: makes a backup, or restores one. The source may be in use by another process. The copy
 * contains everything that was acknowledged before the copy was started, as of one moment.
 *
 * <p>When the copy is written, it is read and compared with the source by a hash of all rows. Only then is it renamed to the target, so
 * there is never a partial copy under that name.
 */
public final class RocksDbCopy {

    private static final int BATCH_BYTES = 1 << 20;

    private RocksDbCopy() {}

    /**
     * The result of a copy.
     *
     * @param rows the number of rows
     * @param hash SHA-256 of all rows, in order
     */
    public record Copied(long rows, String hash) {}

    /**
     * Copies a store. Creates the parent directories of the target if needed.
     *
     * @param progress called repeatedly with the number of rows written so far
     * @throws StoreException if the source is not a store, if the target exists, or if the disk fails
     */
    public static Copied copy(Path from, Path to, LongConsumer progress) {
        if (Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
            throw StoreException.rejected("The target " + to + " exists: choose a path that does not exist");
        }
        StoreDirectory.requireStore(from);
        try {
            Path parent = above(to.toAbsolutePath());
            Path there = nearestThatExists(parent);
            if (there.toRealPath().startsWith(from.toRealPath())) {
                throw StoreException.rejected(
                        "The target " + to + " is inside the store " + from + ": choose a path outside of it");
            }
            Files.createDirectories(parent);
            Path draft = Files.createTempDirectory(parent, to.getFileName() + ".incomplete-");
            try {
                Copied copied = copy(from, draft, to, progress);
                syncUpTo(there, parent);
                return copied;
            } catch (IOException | RuntimeException | Error e) {
                deleteAll(draft);
                throw e;
            }
        } catch (IOException e) {
            throw StoreException.unavailable("Cannot copy the store to " + to + ": " + FileError.words(e), e);
        }
    }

    private static Path nearestThatExists(Path folder) {
        return Files.exists(folder) ? folder : nearestThatExists(above(folder));
    }

    private static void syncUpTo(Path top, Path folder) throws IOException {
        StoreDirectory.sync(folder);
        if (!folder.equals(top)) {
            syncUpTo(top, above(folder));
        }
    }

    private static Path above(Path folder) {
        return folder.resolve("..").normalize();
    }

    private static Copied copy(Path from, Path draft, Path to, LongConsumer progress) throws IOException {
        Copied written;
        try (Database source = Database.openReadOnly(StoreDirectory.database(from), RocksDbSettings.DEFAULTS)) {
            written = write(source, draft, progress);
        }
        Copied read = read(draft);
        if (!read.equals(written)) {
            throw StoreException.unavailable(
                    "The copy in " + draft + " differs from the source: the disk returns other data than was written",
                    null);
        }
        Files.move(draft, to, StandardCopyOption.ATOMIC_MOVE);
        return written;
    }

    private static Copied write(Database source, Path draft, LongConsumer progress) throws IOException {
        try (StoreDirectory folder = StoreDirectory.take(draft);
                Database target = folder.open(RocksDbSettings.DEFAULTS)) {
            Tally tally = new Tally();
            Snapshot snapshot = source.snapshot();
            try (ReadOptions options = Database.reading().setSnapshot(snapshot).setFillCache(false)) {
                for (int i = 0; i < source.families().size(); i++) {
                    Sink sink = new Sink(target, target.families().get(i), tally, progress);
                    source.forEach(source.families().get(i), options, sink::add);
                    sink.flush();
                }
            } finally {
                source.release(snapshot);
            }
            return tally.copied();
        }
    }

    private static Copied read(Path copy) {
        Tally tally = new Tally();
        try (Database database = Database.openReadOnly(StoreDirectory.database(copy), RocksDbSettings.DEFAULTS);
                ReadOptions options = Database.reading().setFillCache(false)) {
            for (Family family : database.families()) {
                database.forEach(family, options, tally::add);
            }
        }
        return tally.copied();
    }

    private static void deleteAll(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    /** Writes rows to a column family in batches. */
    private static final class Sink {

        private final Database target;
        private final Family family;
        private final Tally tally;
        private final LongConsumer progress;
        private Batch batch = new Batch();

        Sink(Database target, Family family, Tally tally, LongConsumer progress) {
            this.target = target;
            this.family = family;
            this.tally = tally;
            this.progress = progress;
        }

        void add(byte[] key, byte[] value) {
            tally.add(key, value);
            batch.put(family.id(), key, value);
            if (batch.length() > BATCH_BYTES) {
                flush();
            }
        }

        void flush() {
            target.write(Batch.together(List.of(batch)));
            batch = new Batch();
            progress.accept(tally.rows);
        }
    }

    /** Counts rows and hashes them with their lengths. */
    private static final class Tally {

        private final MessageDigest digest = sha256();
        private long rows;

        void add(byte[] key, byte[] value) {
            digest.update(new ByteWriter(10)
                    .addVarint(key.length)
                    .addVarint(value.length)
                    .toBytes());
            digest.update(key);
            digest.update(value);
            rows++;
        }

        Copied copied() {
            return new Copied(rows, HexFormat.of().formatHex(digest.digest()));
        }

        private static MessageDigest sha256() {
            try {
                return MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("Every JDK has SHA-256", e);
            }
        }
    }
}
