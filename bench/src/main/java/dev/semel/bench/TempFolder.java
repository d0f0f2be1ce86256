package dev.semel.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A temporary folder that is deleted when it is closed, or when the process ends. */
public final class TempFolder implements AutoCloseable {

    /** Other threads may still write files while the process ends. */
    private static final int TRIES = 20;

    private final Path path;
    private final Thread atTheEnd = new Thread(this::deleteQuietly);

    private TempFolder(Path path) {
        this.path = path;
        Runtime.getRuntime().addShutdownHook(atTheEnd);
    }

    /** Creates a folder whose name is the prefix, the id of this process and a random part. */
    public static TempFolder create(String prefix) {
        try {
            String mine = prefix + ProcessHandle.current().pid() + "-";
            return new TempFolder(Files.createTempDirectory(mine));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the path of the folder. */
    public Path path() {
        return path;
    }

    /** Keeps the folder: it will not be deleted. */
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

    /** Deletes a folder and its content, if it exists. */
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
