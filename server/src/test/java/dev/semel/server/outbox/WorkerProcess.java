package dev.semel.server.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Eventually;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An {@link OutboxWorker} in a separate process. */
final class WorkerProcess implements AutoCloseable {

    private static final JsonMapper MAPPER = new JsonMapper();

    private final Process process;
    private final Writer in;
    private final BufferedReader out;
    private final Path log;

    private WorkerProcess(Process process, Path log) {
        this.process = process;
        this.in = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), UTF_8));
        this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        this.log = log;
    }

    /**
     * The clock of a worker.
     *
     * @param offset how far it was set forward
     */
    record Clock(Instant origin, double speed, Duration offset) {}

    /**
     * Starts a worker.
     *
     * @param store the URL of its store
     * @param log file for its standard error
     */
    static WorkerProcess start(String store, Clock clock, Path log, String... flags) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto"));
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of(flags));
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                OutboxWorker.class.getName(),
                store,
                String.valueOf(clock.origin().toEpochMilli()),
                String.valueOf(clock.speed()),
                String.valueOf(clock.offset().toMillis())));
        try {
            ProcessBuilder.Redirect append = ProcessBuilder.Redirect.appendTo(log.toFile());
            return new WorkerProcess(
                    new ProcessBuilder(command).redirectError(append).start(), log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Runs a command, and returns its result.
     *
     * @param arguments names and values in turn
     */
    synchronized JsonNode call(String command, Object... arguments) {
        Map<String, Object> members = new LinkedHashMap<>(Map.of("do", command));
        for (int i = 0; i < arguments.length; i += 2) {
            members.put((String) arguments[i], arguments[i + 1]);
        }
        try {
            in.write(MAPPER.writeValueAsString(members) + "\n");
            in.flush();
            String line = out.readLine();
            if (line == null) {
                throw new IllegalStateException("The worker has ended during " + command + problem());
            }
            JsonNode result = MAPPER.readTree(line);
            if (result.has("error")) {
                throw new IllegalStateException(
                        command + " failed: " + result.get("error").stringValue() + problem());
            }
            return result;
        } catch (IOException e) {
            throw new IllegalStateException("The worker has ended before " + command + problem(), e);
        }
    }

    /** Waits until the outbox has no pending and no failed entries. */
    void awaitEmpty(Duration atMost) {
        Eventually.assertHolds(atMost, () -> {
            JsonNode counts = call("count");
            assertThat(counts.get("hasPENDING").booleanValue())
                    .as("has pending entries")
                    .isFalse();
            assertThat(counts.get("hasFAILED").booleanValue())
                    .as("has failed entries")
                    .isFalse();
        });
    }

    long pid() {
        return process.pid();
    }

    private String problem() {
        try {
            String text = Files.readString(log);
            return "\n" + text.substring(Math.max(0, text.length() - 4000));
        } catch (IOException e) {
            return "";
        }
    }

    /** Kills the process as {@code kill -9} does. */
    void kill() {
        try {
            process.destroyForcibly().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Stops or continues the process, without its notice. */
    void setStopped(boolean stopped) {
        try {
            new ProcessBuilder("kill", stopped ? "-STOP" : "-CONT", String.valueOf(process.pid()))
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        kill();
    }
}
