package dev.semel.bench.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server process, started as users do, in dev mode and with the embedded store. */
public final class ServerProcess implements AutoCloseable {

    private static final Pattern READY = Pattern.compile("Semel is ready at (\\S+)");
    private static final Pattern TOKEN = Pattern.compile("\"token\":\"([^\"]+)\"");
    private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+([0-9]+) kB");

    private final Process process;
    private final String url;
    private final Duration readyAfter;

    private ServerProcess(Process process, String url, Duration readyAfter) {
        this.process = process;
        this.url = url;
        this.readyAfter = readyAfter;
    }

    /** Builds and starts the server. It has no quota, because all load comes from one user. */
    public static ServerProcess start(Path home, Path folder) {
        try {
            build(home);
            long startedAt = System.nanoTime();
            Process process = new ProcessBuilder(
                            home.resolve("semel").toString(),
                            "serve",
                            "--port=0",
                            "--quota=0",
                            "--message-rate=0",
                            "--log-level=warn",
                            "--store=rocksdb:" + folder)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            BufferedReader output = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                Matcher ready = READY.matcher(line);
                if (ready.find()) {
                    return new ServerProcess(process, ready.group(1), Duration.ofNanos(System.nanoTime() - startedAt));
                }
            }
            throw new IllegalStateException("The server did not start");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The first command after a change builds the server. Without this, the build would count as time to start. */
    private static void build(Path home) throws IOException {
        Process process = new ProcessBuilder(home.resolve("semel").toString(), "serve", "--help")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        process.getInputStream().readAllBytes();
    }

    /** Returns the address of the server. */
    public String url() {
        return url;
    }

    /** Returns the time from the command to ready. */
    Duration readyAfter() {
        return readyAfter;
    }

    /** Returns a token for a user. */
    public String token(String user) {
        Matcher token = TOKEN.matcher(post("/v1/dev/token", "none", "none", "{\"user\":\"" + user + "\"}"));
        if (!token.find()) {
            throw new IllegalStateException("The server returned no token");
        }
        return token.group(1);
    }

    /** Sends a request and returns the body of the response. */
    String post(String path, String token, String key, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .header("Content-Type", "application/json")
                .header("Authorization", "Bearer " + token)
                .header("Idempotency-Key", key)
                .POST(BodyPublishers.ofString(body))
                .build();
        try {
            return HttpClient.newHttpClient()
                    .send(request, BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while measuring", e);
        }
    }

    /** Returns the resident memory in bytes, or 0 on systems without {@code /proc}. */
    long residentBytes() {
        try {
            Path status = Path.of("/proc", String.valueOf(process.pid()), "status");
            Matcher resident = RESIDENT.matcher(Files.exists(status) ? Files.readString(status) : "");
            return resident.find() ? Long.parseLong(resident.group(1)) << 10 : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
