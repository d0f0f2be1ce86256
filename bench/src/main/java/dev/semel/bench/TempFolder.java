package dev.semel.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A folder for what is needed for a while. It is removed when it is closed, and also if the process is told to end before. */
public final class TempFolder implements AutoCloseable {

    /** Whoever still writes while the process ends may put something back. */
    private static final int TRIES = 20;

    private final Path path;
    private final Thread atTheEnd = new Thread(this::deleteQuietly);

    private TempFolder(Path path) {
        this.path = path;
        Runtime.getRuntime().addShutdownHook(atTheEnd);
    }

    /** Makes one. Its name says whose it is: the prefix, the number of this process, and something random. */
    public static TempFolder create(String prefix) {
        try {
            String mine = prefix + ProcessHandle.current().pid() + "-";
            return new TempFolder(Files.createTempDirectory(mine));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where it is. */
    public Path path() {
        return path;
    }

    /** From now on it is not removed. */
    public void keep() {
        try {
            Runtime.getRuntime().removeShutdownHook(atTheEnd);
        } catch (IllegalStateException e) {
            // the process is about to end, and the folder to be removed
        }
    }

    @Override
    public void close() {
        keep();
        try {
            delete(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void deleteQuietly() {
        for (int i = 0; i < TRIES && Files.exists(path); i++) {
            try {
                delete(path);
            } catch (IOException | UncheckedIOException e) {
                // tried again
            }
        }
    }

    /** Removes a folder and all that is in it. */
    public static void delete(Path folder) throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> files = Files.walk(folder)) {
            deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
        } catch (NoSuchFileException e) {
            return;
        }
        for (Path file : deepestFirst) {
            Files.deleteIfExists(file);
        }
    }
}
