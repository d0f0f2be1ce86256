package dev.semel.server.docs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The checked-out repository: its root, its pages, and a shell in it. */
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

    /** All pages of documentation. */
    static List<Path> pages() throws IOException {
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(top, docs)
                    .filter(path -> path.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    /** The modules' folders of sources. Beside them others may be building. */
    static List<Path> sources() throws IOException {
        try (Stream<Path> top = Files.list(ROOT)) {
            return top.map(module -> module.resolve("src"))
                    .filter(Files::isDirectory)
                    .toList();
        }
    }

    /** What a command prints, errors included. */
    record Printed(int status, String text) {}

    /** Runs a command in a shell. */
    static Printed bash(Path folder, String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("bash", "-c", command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readNBytes(MOST_BYTES), UTF_8);
        process.getInputStream().close(); // what prints without end is stopped here, and shows in the comparison
        if (!process.waitFor(5, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new AssertionError("does not end: " + command);
        }
        return new Printed(process.exitValue(), text);
    }
}
