package dev.semel.rocksdb;

import dev.semel.store.StoreException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The folder of a store: what format it has, and who has it open. */
final class Folder implements AutoCloseable {

    private static final String FORMAT_FILE = "FORMAT";
    private static final String HOLDER_FILE = "HOLDER";
    private static final String FORMAT_WORDS = "semel rocksdb ";

    private final Path path;
    private final FileChannel holder;
    private final FileLock lock;

    private Folder(Path path, FileChannel holder, FileLock lock) {
        this.path = path;
        this.holder = holder;
        this.lock = lock;
    }

    /**
     * Takes a folder, which is made if it is not there.
     *
     * @throws StoreException if another has it, if it is of another format, or if it cannot be written
     */
    static Folder take(Path path) {
        try {
            Files.createDirectories(path);
            Folder folder = lock(path);
            try {
                folder.checkOrMakeFormat();
                return folder;
            } catch (StoreException | IOException e) {
                folder.close();
                throw e;
            }
        } catch (IOException e) {
            throw StoreException.refused("Cannot use the folder " + path + ": " + e);
        }
    }

    private static Folder lock(Path path) throws IOException {
        FileChannel channel = FileChannel.open(
                path.resolve(HOLDER_FILE),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        FileLock lock = tryLock(channel);
        if (lock == null) {
            String who = Files.readString(path.resolve(HOLDER_FILE)).strip();
            channel.close();
            throw StoreException.refused("The folder " + path + " is in use by " + (who.isEmpty() ? "another" : who));
        }
        channel.truncate(0);
        String me = "process " + ProcessHandle.current().pid() + " since " + Instant.now();
        channel.write(java.nio.ByteBuffer.wrap(me.getBytes(java.nio.charset.StandardCharsets.UTF_8)), 0);
        return new Folder(path, channel, lock);
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // this very process has it open already
        }
    }

    /** Where RocksDB keeps its files. */
    Path database() {
        return database(path);
    }

    /** Where RocksDB keeps the files of a store in some folder. */
    static Path database(Path path) {
        return path.resolve("db");
    }

    /** Refuses a folder that holds no store, or one of another format. */
    static void requireStore(Path path) {
        try {
            if (!Files.exists(path.resolve(FORMAT_FILE))) {
                throw StoreException.refused("There is no store in " + path);
            }
            checkFormat(path);
        } catch (IOException e) {
            throw StoreException.refused("Cannot use the folder " + path + ": " + e);
        }
    }

    private static void checkFormat(Path path) throws IOException {
        String format = Files.readString(path.resolve(FORMAT_FILE)).strip();
        if (!format.equals(FORMAT_WORDS + Rows.FORMAT)) {
            throw StoreException.refused("The folder " + path + " has the format \"" + abridged(format)
                    + "\"; this release reads and writes \"" + FORMAT_WORDS + Rows.FORMAT + "\"");
        }
    }

    private void checkOrMakeFormat() throws IOException {
        Path file = path.resolve(FORMAT_FILE);
        if (Files.exists(file)) {
            checkFormat(path);
        } else if (hasOtherFiles()) {
            throw StoreException.refused("The folder " + path + " holds something else: it has no file " + FORMAT_FILE);
        } else {
            Path draft = path.resolve(FORMAT_FILE + ".new");
            Files.writeString(
                    draft,
                    FORMAT_WORDS + Rows.FORMAT + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.DSYNC,
                    StandardOpenOption.WRITE);
            Files.move(draft, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        }
    }

    private static String abridged(String format) {
        String line = format.lines().findFirst().orElse("");
        return line.length() > 60 ? line.substring(0, 60) + "…" : line;
    }

    private boolean hasOtherFiles() throws IOException {
        try (Stream<Path> files = Files.list(path)) {
            return files.anyMatch(file -> !file.getFileName().toString().equals(HOLDER_FILE)
                    && !file.getFileName().toString().equals(FORMAT_FILE + ".new"));
        }
    }

    @Override
    public void close() throws IOException {
        if (holder.isOpen()) {
            lock.release();
            holder.close();
        }
    }
}
