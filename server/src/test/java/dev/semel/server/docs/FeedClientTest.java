package dev.semel.server.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.ServerFixture;
import example.FeedClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the clients on the page about the feed. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // reading a socket cannot be interrupted
class FeedClientTest {

    private static final Path PAGE = Repository.ROOT.resolve("docs/guides/feed.md");
    private static final Path SOURCE = Repository.ROOT.resolve("server/src/test/java/example/FeedClient.java");

    private static String publish(ServerFixture server, String key) {
        return server.as("ann")
                .post("/v1/feed/posts", "{\"text\":\"\u2028hi\"}", "Idempotency-Key", key, "X-Client-Tx-Id", key)
                .text("id");
    }

    /** Publishes posts until the first event arrives. After that, every post must arrive, in order. */
    private static void assertReads(ServerFixture server, BlockingQueue<String> shown) throws InterruptedException {
        String first = null;
        for (int i = 0; first == null; i++) {
            publish(server, "before-" + i);
            first = shown.poll(100, TimeUnit.MILLISECONDS);
        }
        String last = publish(server, "last");
        String next = first;
        while (!next.contains(last)) {
            assertThat(next).startsWith("post ");
            next = shown.take();
        }
    }

    @Test
    void clientInJava_readsEvents() throws Exception {
        BlockingQueue<String> shown = new LinkedBlockingQueue<>();
        Thread reader;
        try (ServerFixture server = ServerFixture.onMemory()) {
            String token = server.token("ann");
            reader = new Thread(() -> {
                try {
                    new FeedClient().read(server.uri("/"), token, (type, data) -> shown.add(type + " " + data));
                } catch (InterruptedException e) {
                    shown.add("interrupted");
                }
            });
            reader.start();
            assertReads(server, shown);
        }
        reader.interrupt(); // otherwise it would reconnect indefinitely
        reader.join();
        assertThat(shown).contains("interrupted");
    }

    /** Runs the browser's client in Node.js, if it is installed. */
    @Test
    void clientInABrowser_readsEvents() throws Exception {
        Assumptions.assumeTrue(
                Repository.bash(Repository.ROOT, "node --version").text().matches("(?s)v(1[89]|[2-9][0-9]).*"),
                "Node.js is not installed");
        BlockingQueue<String> shown = new LinkedBlockingQueue<>();
        try (ServerFixture server = ServerFixture.onMemory()) {
            String program = block("### In a browser") + "\nread('" + server.uri("") + "', '" + server.token("ann")
                    + "', (type, event) => console.log(type, event.postId, event.post.text.length));";
            Process node = new ProcessBuilder("node", "-e", program)
                    .redirectErrorStream(true)
                    .start();
            Thread listener = new Thread(() -> listen(node, shown));
            listener.start();
            try {
                assertReads(server, shown);
            } finally {
                node.destroy();
                listener.join();
            }
        }
    }

    private static void listen(Process node, BlockingQueue<String> shown) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(node.getInputStream(), UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                shown.add(line);
            }
        } catch (IOException e) {
            shown.add("cut off: " + e);
        }
    }

    @Test
    void pageShowsTheClientAsItIs() throws IOException {
        List<String> lines = Files.readAllLines(SOURCE);
        String client = String.join(
                        "\n", lines.subList(lines.indexOf("    // page: client") + 1, lines.indexOf("    // end")))
                .indent(-4)
                .strip();
        assertThat(block("### In Java").strip()).isEqualTo(client);
    }

    /** Returns the first block below a heading. */
    private static String block(String heading) throws IOException {
        String behind = Files.readString(PAGE).split(heading + "\n", 2)[1];
        return behind.split("```[A-Za-z]*\n", 3)[1];
    }
}
