package dev.semel.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a store, with a file that names the format and a file that is locked while the store is open.
 *
 * <p>The format file is written last when a store is created. If only its draft exists, no commit was acknowledged, and the store is created
 * again. Once the format file exists, the store is never created again, even if other files are missing.
 */
final class StoreDirectory implements AutoCloseable {

    private static final String FORMAT_FILE = "FORMAT";
    private static final String FORMAT_DRAFT = "FORMAT.new";
    private static final String LOCK_FILE = "LOCK";
    private static final String DATABASE = "db";
    private static final String FORMAT_WORDS = "semel rocksdb ";
    private static final int MOST_SHOWN = 60;

    /** A file that RocksDB keeps open, and neither replaces nor deletes. */
    private static final String DATABASE_LOCK = "LOCK";

    /**
     * Stores that this process has open, by directory and by the inode of their lock file, which stays the same if the directory is moved.
     * Opening and closing a lock file a second time would release its lock. Guarded by itself.
     */
    private static final Map<Object, String> HELD = new HashMap<>();

    /** Channels of lock files that are locked through another class loader. Closing them would release its lock. */
    private static final Queue<FileChannel> LOCKED_ELSEWHERE = new ConcurrentLinkedQueue<>();

    private final Path path;
    private final Path realPath;
    private final Object held;
    private final FileChannel lock;
    private @Nullable Object database;

    private StoreDirectory(Path path, Path realPath, Object held, FileChannel lock) {
        this.path = path;
        this.realPath = realPath;
        this.held = held;
        this.lock = lock;
    }

    /** Returns the free space on the disk. */
    long freeBytes() {
        return path.toFile().getUsableSpace();
    }

    /**
     * Locks a directory, and creates it if it does not exist.
     *
     * @throws StoreException if it is in use, if it contains other files or a store of another format, or if it cannot be written
     */
    static StoreDirectory take(Path path) {
        try {
            Files.createDirectories(path);
            rejectIfForeign(path);
            StoreDirectory folder = hold(path);
            try {
                rejectIfForeign(path);
                return folder;
            } catch (StoreException | IOException e) {
                folder.close();
                throw e;
            }
        } catch (IOException e) {
            throw StoreException.rejected("Cannot use the folder " + path + ": " + FileError.words(e));
        }
    }

    private static StoreDirectory hold(Path path) throws IOException {
        Path realPath = path.toRealPath();
        Object held = identityOfLock(realPath);
        String me = "process " + ProcessHandle.current().pid() + " since " + Instant.now();
        synchronized (HELD) {
            String who = HELD.getOrDefault(held, HELD.get(realPath));
            if (who != null) {
                throw inUse(path, who);
            }
            FileChannel lock = locked(path, me);
            HELD.put(held, me);
            HELD.put(realPath, me); // RocksDB identifies its databases by their paths
            return new StoreDirectory(path, realPath, held, lock);
        }
    }

    /** Creates the lock file if it does not exist. Does not open one that exists. */
    private static Object identityOfLock(Path realPath) throws IOException {
        Path lock = realPath.resolve(LOCK_FILE);
        if (!Files.exists(lock)) {
            try {
                Files.createFile(lock);
            } catch (FileAlreadyExistsException e) {
                // another thread or process was faster
            }
        }
        return identity(lock);
    }

    /** Returns the identity of a file, which it keeps when it is moved. On file systems without inodes, returns the path. */
    private static Object identity(Path file) throws IOException {
        Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        return key == null ? file : key;
    }

    private static StoreException inUse(Path path, String who) {
        return StoreException.rejected(
                "The folder " + path + " is in use by " + (who.isEmpty() ? "another process" : who));
    }

    private static FileChannel locked(Path path, String me) throws IOException {
        FileChannel channel = FileChannel.open(
                path.resolve(LOCK_FILE), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            FileLock acquired = channel.tryLock();
            if (acquired == null) {
                throw inUse(path, Files.readString(path.resolve(LOCK_FILE)).strip());
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(me.getBytes(UTF_8)), 0);
            return channel;
        } catch (OverlappingFileLockException e) {
            LOCKED_ELSEWHERE.add(channel);
            throw inUse(path, Files.readString(path.resolve(LOCK_FILE)).strip());
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Opens the database of the store, and creates it if the directory is new. */
    Database open(RocksDbSettings settings) {
        try {
            boolean isNew = !Files.exists(path.resolve(FORMAT_FILE));
            if (isNew) {
                draftFormat();
            }
            Database database = Database.open(database(path), settings, isNew);
            if (isNew) {
                finishFormat(database);
            }
            this.database = identity(databaseLock());
            return database;
        } catch (IOException e) {
            throw StoreException.rejected("Cannot use the folder " + path + ": " + FileError.words(e));
        }
    }

    private Path databaseLock() {
        return database(realPath).resolve(DATABASE_LOCK);
    }

    /**
     * Checks that the files of the store are still where they were opened. Otherwise the log that RocksDB writes to is in another directory,
     * or in none and lost when the process ends.
     *
     * @throws StoreException if the directory was moved or deleted
     */
    void requireInPlace() {
        try {
            if (identity(databaseLock()).equals(database)) {
                return;
            }
        } catch (IOException e) {
            // the file is missing, or its directory cannot be read
        }
        throw StoreException.unavailable(
                "The folder " + path + " was moved or deleted while the store was open."
                        + " Put it back, and open the store again",
                null);
    }

    private void draftFormat() throws IOException {
        Files.writeString(
                path.resolve(FORMAT_DRAFT),
                FORMAT_WORDS + Rows.FORMAT + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.DSYNC,
                StandardOpenOption.WRITE);
    }

    private void finishFormat(Database database) throws IOException {
        try {
            Files.move(path.resolve(FORMAT_DRAFT), path.resolve(FORMAT_FILE), StandardCopyOption.ATOMIC_MOVE);
            sync(path);
            sync(realPath.resolve(".."));
        } catch (IOException e) {
            database.close();
            throw e;
        }
    }

    /** Syncs a directory, so that the names of its files survive a power failure. */
    static void sync(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder)) {
            channel.force(true);
        }
    }

    /** Returns the directory of RocksDB's files within the directory of a store. */
    static Path database(Path path) {
        return path.resolve(DATABASE);
    }

    static boolean hasStore(Path path) {
        return Files.exists(path.resolve(FORMAT_FILE));
    }

    /** Rejects a directory that contains no store, or a store of another format. */
    static void requireStore(Path path) {
        try {
            if (!hasStore(path)) {
                throw StoreException.rejected("There is no store in " + path);
            }
            rejectIfForeign(path);
        } catch (IOException e) {
            throw StoreException.rejected("Cannot use the folder " + path + ": " + FileError.words(e));
        }
    }

    private static void rejectIfForeign(Path path) throws IOException {
        Path file = path.resolve(FORMAT_FILE);
        if (Files.exists(file)) {
            byte[] format = Files.readAllBytes(file);
            if (!new String(format, UTF_8).strip().equals(FORMAT_WORDS + Rows.FORMAT)) {
                throw StoreException.rejected("The folder " + path + " has the format \"" + shown(format)
                        + "\"; this release reads and writes \"" + FORMAT_WORDS + Rows.FORMAT + "\"");
            }
        } else if (hasOtherFiles(path)) {
            throw StoreException.rejected("The folder " + path + " contains other files and no store: it has no file "
                    + FORMAT_FILE + ". Choose an empty folder, or one that does not exist");
        }
    }

    private static String shown(byte[] format) {
        StringBuilder shown = new StringBuilder();
        for (byte c : format) {
            if (c == '\n' || shown.length() == MOST_SHOWN) {
                break;
            }
            shown.append(c >= ' ' && c <= '~' ? (char) c : '?');
        }
        return shown.toString();
    }

    private static boolean hasOtherFiles(Path path) throws IOException {
        Set<String> ours = new HashSet<>(Set.of(LOCK_FILE, FORMAT_DRAFT));
        if (Files.exists(path.resolve(FORMAT_DRAFT))) {
            ours.add(DATABASE);
        }
        try (Stream<Path> files = Files.list(path)) {
            return files.anyMatch(file -> !ours.contains(file.getFileName().toString()));
        }
    }

    /** Closes the lock file, which releases the lock. */
    @Override
    public void close() throws IOException {
        synchronized (HELD) {
            if (lock.isOpen()) {
                lock.close();
                HELD.remove(held);
                HELD.remove(realPath);
            }
        }
    }
}
