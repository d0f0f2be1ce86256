package dev.semel.bench;

import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Option of every benchmark: where its page goes. */
public final class Output {

    @Option(
            names = "--out",
            paramLabel = "DIR",
            defaultValue = "${sys:semel.home:-.}/docs/benchmarks",
            description = "Folder of the page (${COMMAND-NAME}.md) and its plots; default: docs/benchmarks.")
    private @Nullable Path out;

    /** Writes a page and its plots, and prints the names of the files. */
    public void write(Page page) {
        Progress.print("Wrote "
                + page.write(Objects.requireNonNull(out)).stream()
                        .map(Path::toString)
                        .collect(Collectors.joining(", ")));
    }
}
