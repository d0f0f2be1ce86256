package dev.semel.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.postgres.Postgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of the outbox as users run them, in separate processes, with a server in another one. */
class OutboxCommandIT {

    private static final int SIGTERM_STATUS = 143;
    private static final Duration LONGEST = Duration.ofMinutes(2);

    @TempDir
    Path folder;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endProcesses() {
        started.forEach(Process::destroyForcibly);
    }

    private record Result(int status, String out, String err) {}

    private String embedded() {
        return "rocksdb:" + folder.resolve("queue");
    }

    private Process start(String store, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                Path.of("target", "semel.jar").toAbsolutePath().toString(),
                "outbox"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectError(folder.resolve("err-" + started.size()).toFile());
        builder.environment().put("SEMEL_STORE", store);
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private Result end(Process process) throws Exception {
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS)).isTrue();
        Path err = folder.resolve("err-" + started.indexOf(process));
        return new Result(process.exitValue(), out, Files.readString(err));
    }

    private Result outbox(String store, String... arguments) throws Exception {
        return end(start(store, arguments));
    }

    /** Adds posts "0" to "n-1" to lanes in turn. */
    private void addPosts(String store, int posts, int lanes) throws Exception {
        Path lines = folder.resolve("lines");
        Files.write(
                lines,
                IntStream.range(0, posts)
                        .mapToObj(i -> "{\"endpoint\":\"/v1/feed/posts\",\"lane\":\"lane-" + i % lanes
                                + "\",\"payload\":{\"text\":\"" + i + "\"}}")
                        .toList());
        Result added = outbox(store, "add", "--ndjson", lines.toString());
        assertThat(added.err).isEmpty();
        assertThat(added.out.lines()).hasSize(posts).doesNotHaveDuplicates();
    }

    private static List<Integer> posts(ServerProcess server) throws Exception {
        List<Integer> posts = new ArrayList<>(server.items("/v1/feed/posts").stream()
                .map(post -> Integer.parseInt(post.get("text").asString()))
                .toList());
        Collections.reverse(posts);
        return posts;
    }

    private static void awaitPosts(ServerProcess server, int atLeast) throws Exception {
        long start = System.nanoTime();
        while (posts(server).size() < atLeast) {
            assertThat(System.nanoTime() - start).as("entries are sent").isLessThan(LONGEST.toNanos());
        }
    }

    private static void assertEachOnceInOrder(ServerProcess server, int posts, int lanes) throws Exception {
        List<Integer> sent = posts(server);
        assertThat(sent)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, posts).boxed().toList());
        for (int lane = 0; lane < lanes; lane++) {
            int number = lane;
            assertThat(sent.stream().filter(post -> post % lanes == number)).isSorted();
        }
    }

    private ServerProcess server() throws Exception {
        return server(0);
    }

    private ServerProcess server(int port) throws Exception {
        ServerProcess server = ServerProcess.start("rocksdb:" + folder.resolve("server"), port);
        started.add(server.process());
        return server;
    }

    private static int port(ServerProcess server) {
        return URI.create(server.url()).getPort();
    }

    @Test
    void entriesAddedWhileTheServerIsDown_areSentWhenItIsBack() throws Exception {
        ServerProcess server = server();
        server.kill();
        addPosts(embedded(), 3, 1);
        Process terminated;
        Process run;
        try (ServerSocket noServer = new ServerSocket(port(server), 1, InetAddress.getByName("localhost"))) {
            terminated = start(
                    embedded(), "run", "--to", server.url(), "--dev-user", "ann", "--until-empty", "--timeout=5s");
            noServer.accept().close();
            terminated.toHandle().destroy(); // SIGTERM
            assertThat(end(terminated)).isEqualTo(new Result(SIGTERM_STATUS, "Confirmed 0 entries\n", ""));
            run = start(embedded(), "run", "--to", server.url(), "--dev-user", "ann", "--until-empty");
            Socket first = noServer.accept();
            first.close();
        }
        server = server(port(server));
        assertThat(end(run)).isEqualTo(new Result(0, "Confirmed 3 entries\n", ""));
        assertEachOnceInOrder(server, 3, 1);
        assertThat(outbox(embedded(), "list", "--status=confirmed", "--json")
                        .out
                        .lines())
                .hasSize(3)
                .allMatch(line -> line.contains("\"response\":{\"status\":201,"));
        assertThat(outbox(embedded(), "purge").out).isEqualTo("Purged 3 entries\n");
        assertThat(outbox(embedded(), "list").out).isEmpty();
    }

    @Test
    void killedRun_isContinuedByTheNextOne_andNamedWhileItHasTheStore() throws Exception {
        int count = 1500;
        int lanes = 20;
        ServerProcess server = server();
        addPosts(embedded(), count, lanes);
        for (int kill = 1; kill <= 3; kill++) {
            Process run = start(
                    embedded(), "run", "--to", server.url(), "--dev-user", "ann", "--until-empty", "--parallel=4");
            awaitPosts(server, kill * count / 6);
            if (kill == 1) {
                Result refused = outbox(embedded(), "list");
                assertThat(refused.err)
                        .startsWith("semel outbox list: The folder " + folder.resolve("queue")
                                + " is in use by process " + run.pid() + " since ")
                        .hasLineCount(1);
                assertThat(refused.status).isEqualTo(1);
            }
            assertThat(run.isAlive()).as("killed in the middle").isTrue();
            run.destroyForcibly().waitFor();
        }
        Result last = outbox(embedded(), "run", "--to", server.url(), "--dev-user", "ann", "--until-empty");
        assertThat(last.err).isEmpty();
        assertThat(last.status).isZero();
        assertEachOnceInOrder(server, count, lanes);
    }

    /** A server in dev mode makes a new key for its tokens when it starts. */
    @Test
    void restartedServer_getsNewTokens() throws Exception {
        ServerProcess server = server();
        addPosts(embedded(), 1000, 8);
        Process run = start(embedded(), "run", "--to", server.url(), "--dev-user", "ann", "--until-empty");
        awaitPosts(server, 100);
        server.kill();
        server = server(port(server));
        Result result = end(run);
        assertThat(result.status).as(result.err).isZero();
        assertEachOnceInOrder(server, 1000, 8);
    }

    @Test
    void twoProcesses_shareTheEntriesOfADatabase_andEndOnASignal() throws Exception {
        int count = 600;
        int lanes = 40;
        String database = Postgres.url(Postgres.NEWEST.emptyDatabase());
        ServerProcess server = server();
        addPosts(database, 1, 1); // creates the tables
        List<Process> runs = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            runs.add(start(database, "run", "--to", server.url(), "--dev-user", "ann", "--parallel=2"));
            assertThat(firstLine(runs.get(i)))
                    .isEqualTo("Sending to " + server.url() + " until the process is terminated");
        }
        awaitPosts(server, 1);
        Path lines = folder.resolve("more");
        Files.write(
                lines,
                IntStream.range(1, count)
                        .mapToObj(i -> "{\"endpoint\":\"/v1/feed/posts\",\"lane\":\"lane-" + i % lanes
                                + "\",\"payload\":{\"text\":\"" + i + "\"}}")
                        .toList());
        assertThat(outbox(database, "add", "--ndjson=" + lines).status).isZero();
        awaitPosts(server, count);
        int confirmed = 0;
        for (Process run : runs) {
            run.toHandle().destroy(); // SIGTERM, without closing its output
            Result result = end(run);
            assertThat(result.status).isZero();
            Matcher sum = Pattern.compile("Confirmed ([0-9]+) entr(y|ies)\n").matcher(result.out);
            assertThat(sum.matches()).as(result.out).isTrue();
            assertThat(Integer.parseInt(sum.group(1))).as("both send").isPositive();
            confirmed += Integer.parseInt(sum.group(1));
        }
        assertThat(confirmed).isEqualTo(count);
        assertEachOnceInOrder(server, count, lanes);
    }

    /** Reads the line without reading ahead. */
    private static String firstLine(Process process) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = process.getInputStream().read();
                c >= 0 && c != '\n';
                c = process.getInputStream().read()) {
            line.append((char) c);
        }
        return line.toString();
    }
}
