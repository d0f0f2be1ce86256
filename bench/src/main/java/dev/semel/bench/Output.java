package dev.semel.bench;

import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option for the folder of the page that a benchmark writes. */
public final class Output {

    @Option(
            names = "--out",
            paramLabel = "FOLDER",
            defaultValue = "${sys:semel.home:-.}/docs/benchmarks",
            description = "Folder for the page (${COMMAND-NAME}.md) and its plots. Default: docs/benchmarks.")
    private @Nullable Path out;

    /** Writes a page and its plots, and prints the paths of the files. */
    public void write(Page page) {
        Progress.print("Wrote "
                + page.write(Objects.requireNonNull(out)).stream()
                        .map(Path::toString)
                        .collect(Collectors.joining(", ")));
    }
}
