package dev.semel.server.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.docs.Repository.Printed;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** The server as users start it, in a separate process. */
class ServeIT {

    private static final String SEMEL = Repository.ROOT.resolve("semel") + " ";

    @TempDir
    Path folder;

    /** A running server that has printed its address. */
    private final class Serving implements AutoCloseable {

        private final Process process;
        private final List<String> printed = new ArrayList<>();
        private final Path log = folder.resolve("log");

        Serving(String... arguments) throws IOException {
            List<String> command =
                    new ArrayList<>(List.of(Repository.ROOT.resolve("semel").toString(), "serve"));
            command.addAll(List.of(arguments));
            process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectError(log.toFile())
                    .start();
            BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                printed.add(line);
                if (line.startsWith("pay key-1") && line.contains("999")) {
                    return;
                }
            }
            throw new AssertionError("It ended: " + Files.readString(log));
        }

        String url() {
            return printed.get(0).replaceFirst("Semel is ready at (\\S+).*", "$1");
        }

        int stop() throws InterruptedException {
            process.destroy(); // SIGTERM
            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
            return process.exitValue();
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    private static int status(String url) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.discarding())
                .statusCode();
    }

    @Test
    void server_printsItsUrl_servesAndStopsOnSignal() throws Exception {
        try (Serving server = new Serving("--port", "0")) {
            assertThat(server.printed.stream().limit(1))
                    .allMatch(line -> line.matches("Semel is ready at http://localhost:[0-9]+ \\(dev mode: .*\\)"));
            assertThat(status(server.url() + "/health/ready")).isEqualTo(200);
            Printed example =
                    Repository.bash(folder, String.join("\n", server.printed.subList(2, server.printed.size())));
            List<String> responses = example.text().lines().toList();
            assertThat(responses)
                    .hasSize(8)
                    .element(0)
                    .isEqualTo("HTTP/1.1 201 Created")
                    .isEqualTo(responses.get(3));
            assertThat(responses.get(1)).startsWith("Idempotency-Expires: ");
            assertThat(responses.get(4)).isEqualTo("Idempotency-Replayed: true");
            assertThat(responses.get(5)).contains("\"amount\":100").isEqualTo(responses.get(2));
            assertThat(responses.get(6)).startsWith("HTTP/1.1 422 ");
            assertThat(server.stop()).isZero();
            assertThat(folder.resolve("data/FORMAT")).exists();
            assertThat(Files.readAllLines(server.log))
                    .allSatisfy(
                            line -> assertThat(new JsonMapper().readTree(line).isObject())
                                    .isTrue())
                    .last()
                    .asString()
                    .contains("\"message\":\"stopped\"");
        }
    }

    @Test
    void lockedFolder_isReported() throws Exception {
        try (Serving server = new Serving("--port", "0")) {
            Printed second = Repository.bash(folder, SEMEL + "serve --port 0");
            assertThat(second.status()).isEqualTo(1);
            assertThat(second.text())
                    .matches("semel serve: The folder ./data is in use by process " + server.process.pid()
                            + " since .*\n");
        }
    }

    @Test
    void portInUse_isReported() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
            Printed printed = Repository.bash(
                    folder, SEMEL + "serve --store memory: --log-level error --port " + taken.getLocalPort());
            assertThat(printed)
                    .isEqualTo(new Printed(
                            1,
                            "semel serve: Port " + taken.getLocalPort()
                                    + " of localhost is already in use. Choose another port with --port, or stop the program"
                                    + " that uses it.\n"));
        }
    }

    @Test
    void folderThatCannotBeCreated_isReported() throws Exception {
        Files.createFile(folder.resolve("file"));
        Printed printed = Repository.bash(folder, SEMEL + "serve --port 0 --store rocksdb:file/data");
        assertThat(printed.status()).isEqualTo(1);
        assertThat(printed.text())
                .startsWith("semel serve: Cannot use the folder file/data: ")
                .doesNotContain("Exception")
                .endsWith("\n");
        assertThat(printed.text().lines()).hasSize(1);
    }

    @Test
    void wrongSetting_isWrongUse() throws Exception {
        Printed printed = Repository.bash(folder, "SEMEL_PORT=x " + SEMEL + "serve");
        assertThat(printed)
                .isEqualTo(new Printed(
                        2,
                        "semel serve: SEMEL_PORT must be a whole number from 0 to 65535, not 'x'."
                                + " See './semel serve --help'.\n"));
        assertThat(Repository.bash(folder, SEMEL + "serve --host 0.0.0.0").status())
                .isEqualTo(2);
        assertThat(folder.resolve("data")).doesNotExist();
    }

    @Test
    void check_startsAndStops() throws Exception {
        Printed printed = Repository.bash(folder, SEMEL + "serve --check --port 0 --store memory: --log-level error");
        assertThat(printed.status()).isZero();
        assertThat(printed.text()).startsWith("All settings are valid. The server was ready at http://localhost:");
    }
}
