package dev.semel.server.docs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The repository that contains this test: its files, and a shell in it. */
final class Repository {

    static final Path ROOT = root();

    private static final int MOST_BYTES = 1 << 20;

    private Repository() {}

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isExecutable(folder.resolve("semel"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    /** Returns all pages of the documentation. */
    static List<Path> pages() throws IOException {
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(top, docs)
                    .filter(path -> path.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    /** Returns the source folders of all modules. Others may be building, so the rest of a module is not stable. */
    static List<Path> sources() throws IOException {
        try (Stream<Path> top = Files.list(ROOT)) {
            return top.map(module -> module.resolve("src"))
                    .filter(Files::isDirectory)
                    .toList();
        }
    }

    /** The exit status of a command, and its output including errors. */
    record Printed(int status, String text) {}

    /** Runs a command in a shell, with a limit for its time and output. */
    static Printed bash(Path folder, String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("bash", "-c", command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readNBytes(MOST_BYTES), UTF_8);
        process.getInputStream().close(); // stops a command that prints without end; the comparison then fails
        if (!process.waitFor(5, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new AssertionError("does not end: " + command);
        }
        return new Printed(process.exitValue(), text);
    }
}
