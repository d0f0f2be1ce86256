package dev.semel.bench.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Loads a server with wrk, which runs in a separate process. */
public final class Wrk {

    private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
    private static final Pattern LATENCY = Pattern.compile("(50|99)%\\s+([0-9.]+)(us|ms|s)\\b");
    private static final Pattern FAILED = Pattern.compile("Non-2xx or 3xx responses: ([0-9]+)|Socket errors: (.*)");

    private final Path folder;
    private final int connections;

    /** @param folder folder for scripts */
    public Wrk(Path folder, int connections) {
        this.folder = folder;
        this.connections = connections;
    }

    /**
     * The result of a load.
     *
     * @param perSecond responses per second
     * @param medianMicros median latency
     * @param slowMicros p99 latency
     */
    public record Load(double perSecond, double medianMicros, double slowMicros) {}

    /** Returns whether wrk can be started. */
    public static boolean isInstalled() {
        try {
            return run(List.of("wrk", "-v")).contains("wrk");
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Loads a server with as many requests as it serves.
     *
     * @param script Lua script that makes the requests
     */
    public Load load(String url, String script, Duration time) {
        try {
            Path file = Files.writeString(folder.resolve("load.lua"), script);
            String output = run(List.of(
                    "wrk",
                    "-t1",
                    "-c" + connections,
                    "-d" + Math.max(1, time.toSeconds()) + "s",
                    "--latency",
                    "--timeout", // a slow disk delays responses, which is not an error
                    "30s",
                    "-s",
                    file.toString(),
                    url));
            Matcher failed = FAILED.matcher(output);
            Matcher rate = RATE.matcher(output);
            if (failed.find() || !rate.find()) {
                throw new IllegalStateException("Not every request got the expected response:\n" + output);
            }
            return new Load(Double.parseDouble(rate.group(1)), micros(output, "50"), micros(output, "99"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static double micros(String output, String share) {
        Matcher latency = LATENCY.matcher(output);
        while (latency.find()) {
            if (latency.group(1).equals(share)) {
                double factor = switch (latency.group(3).toLowerCase(Locale.ROOT)) {
                    case "us" -> 1;
                    case "ms" -> 1_000;
                    default -> 1_000_000;
                };
                return Double.parseDouble(latency.group(2)) * factor;
            }
        }
        return Double.NaN;
    }

    private static String run(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes(), UTF_8);
    }
}
