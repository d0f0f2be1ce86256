package dev.semel.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A temporary folder. It is deleted when it is closed, or when the process ends before. */
public final class TempFolder implements AutoCloseable {

    /** Other threads may still write while the process ends. */
    private static final int TRIES = 20;

    private final Path path;
    private final Thread atTheEnd = new Thread(this::deleteQuietly);

    private TempFolder(Path path) {
        this.path = path;
        Runtime.getRuntime().addShutdownHook(atTheEnd);
    }

    /** Creates one. Its name is the prefix, the id of this process, and something random. */
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

    /** Keeps the folder: it is not deleted any more. */
    public void keep() {
        try {
            Runtime.getRuntime().removeShutdownHook(atTheEnd);
        } catch (IllegalStateException e) {
            // the process is ending, and the folder is deleted
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

    /** Deletes a folder with its contents, if it is there. */
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
