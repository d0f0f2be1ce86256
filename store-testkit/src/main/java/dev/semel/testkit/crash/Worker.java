package dev.semel.testkit.crash;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A handle of a worker process. */
final class Worker implements AutoCloseable {

    private static final int MOST_OF_STDERR = 4_000;
    private static final Duration DYING = Duration.ofSeconds(20);

    private final Process process;
    private final Path stderr;
    private final BlockingQueue<Said> said;

    private Worker(Process process, Path stderr, BlockingQueue<Said> said) {
        this.process = process;
        this.stderr = stderr;
        this.said = said;
    }

    /**
     * A line of output of a worker.
     *
     * @param line the text, or null at the end of the output
     */
    record Said(Worker by, @Nullable String line) {

        boolean isEnd() {
            return line == null;
        }
    }

    /**
     * Starts a worker on the JVM and the class path of this process.
     *
     * @param name name of the folder for its temporary files
     * @param said queue that receives its output
     */
    static Worker start(CrashWorker.Arguments arguments, String name, BlockingQueue<Said> said) throws IOException {
        Path temporary = emptied(arguments.folder().resolve(name).resolve("tmp"));
        Path stderr = arguments.folder().resolve(name).resolve("stderr");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-Djava.io.tmpdir=" + temporary));
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), CrashWorker.class.getName()));
        command.addAll(arguments.toList());
        Process process =
                new ProcessBuilder(command).redirectError(stderr.toFile()).start();
        Worker ttl = new Worker(process, stderr, said);
        Thread reader = new Thread(ttl::read, "lines of worker " + process.pid());
        reader.setDaemon(true);
        reader.start();
        return ttl;
    }

    /** Deletes the files that a killed worker has left, which would accumulate. */
    private static Path emptied(Path folder) throws IOException {
        Files.createDirectories(folder);
        for (File file : Optional.ofNullable(folder.toFile().listFiles()).orElse(new File[0])) {
            Files.delete(file.toPath());
        }
        return folder.toAbsolutePath();
    }

    private void read() {
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), US_ASCII))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                said.add(new Said(this, line));
            }
        } catch (IOException e) {
            said.add(new Said(this, "can no longer be read: " + e));
        } finally {
            said.add(new Said(this, null));
        }
    }

    /** Kills the worker with {@code kill -9}. Its output until then can still be read. */
    void kill() {
        // Process.destroyForcibly() would discard unread output.
        var unused = process.toHandle().destroyForcibly();
    }

    /**
     * Waits until the process has ended.
     *
     * @return the exit status
     */
    int exitStatus() throws InterruptedException {
        if (!process.waitFor(DYING.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new CrashFailure("The worker has not ended" + complaint());
        }
        return process.exitValue();
    }

    /** Returns the standard error of the worker, as the end of an error message. */
    String complaint() {
        try {
            String text = new String(Files.readAllBytes(stderr), UTF_8).strip();
            return text.isEmpty()
                    ? ", and nothing on standard error"
                    : "; on standard error:\n" + text.substring(0, Math.min(text.length(), MOST_OF_STDERR));
        } catch (IOException e) {
            return "; its standard error cannot be read: " + e;
        }
    }

    /** Kills the process if it still runs. */
    @Override
    public void close() {
        kill();
        try {
            process.waitFor(DYING.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
