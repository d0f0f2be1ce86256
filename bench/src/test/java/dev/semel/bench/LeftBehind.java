package dev.semel.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What benchmarks leave in the folder for temporary files. */
public final class LeftBehind {

    private LeftBehind() {}

    /** The folders that this process has made there and not removed. */
    public static List<Path> folders() throws IOException {
        String mine = "semel-bench-" + ProcessHandle.current().pid() + "-";
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName().toString().startsWith(mine))
                    .toList();
        }
    }
}
