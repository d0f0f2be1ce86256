package dev.semel.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The report of a benchmark.
 *
 * @param name name of the benchmark and of the file
 * @param markdown text of the page
 * @param plots plots as SVG, by file name
 */
public record Page(String name, String markdown, Map<String, String> plots) {

    /** Returns a page with one plot of the same name. */
    public static Page of(String name, String markdown, String plot) {
        return new Page(name, markdown, Map.of(name, plot));
    }

    /** Writes the page and its plots to a folder, which is created if it is missing, and returns the files. */
    public List<Path> write(Path folder) {
        List<Path> files = new ArrayList<>();
        try {
            Files.createDirectories(folder);
            files.add(Files.writeString(folder.resolve(name + ".md"), markdown));
            for (Map.Entry<String, String> plot : new TreeMap<>(plots).entrySet()) {
                files.add(Files.writeString(folder.resolve(plot.getKey() + ".svg"), plot.getValue()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }
}
