package dev.semel.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Finds temporary folders that benchmarks have not deleted. */
public final class LeftBehind {

    private LeftBehind() {}

    /** Returns the temporary folders of this process. */
    public static List<Path> folders() throws IOException {
        String mine = "semel-bench-" + ProcessHandle.current().pid() + "-";
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName().toString().startsWith(mine))
                    .toList();
        }
    }
}
