package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Reads the events of a feed up to a last one, from any of several servers. Disconnects at random and resumes on any server that responds.
 * Returns all events that it received.
 */
final class FeedReader implements Callable<List<String>> {

    /** The text of the post after which reading stops. */
    static final String LAST = "the last of all";

    private static final int DISCONNECTS = 40; // on average, after this many events

    private final AtomicReferenceArray<ServerProcess> servers;
    private final Random random;
    private final List<String> journal = new ArrayList<>();
    private EventStream stream;
    private final AtomicInteger resumed = new AtomicInteger();

    /** Opens a stream of all events that are published after this returns. */
    FeedReader(AtomicReferenceArray<ServerProcess> servers, int seed) throws IOException {
        this.servers = servers;
        this.random = new Random(seed);
        this.stream = open("");
        assertThat(stream.status()).isEqualTo(200);
        assertThat(stream.nextBlock()).isPresent();
    }

    private EventStream open(String lastId) throws IOException {
        ServerProcess server = servers.get(random.nextInt(servers.length()));
        return EventStream.open(URI.create(server.url()), server.token(), lastId);
    }

    /** Returns how often the reader resumed. */
    int resumed() {
        return resumed.get();
    }

    @Override
    public List<String> call() {
        while (true) {
            try {
                if (readToTheLast()) {
                    stream.close();
                    return journal;
                }
            } catch (IOException e) {
                // disconnected by the server
            }
            resume();
        }
    }

    /** Returns false if the stream ended earlier. */
    private boolean readToTheLast() throws IOException {
        while (random.nextInt(DISCONNECTS) > 0) {
            EventStream.Event event = stream.next().orElse(null);
            if (event == null) {
                return false;
            }
            assertThat(event.type()).isIn("post", "like", "comment");
            journal.add(event.type() + " " + event.text("postId") + " " + stream.lastId());
            if (event.data().path("post").path("text").asString("").equals(LAST)) {
                return true;
            }
        }
        return false;
    }

    private void resume() {
        String lastId = stream.lastId();
        while (true) {
            try {
                stream.close();
                stream = open(lastId);
                if (stream.status() == 200) {
                    resumed.incrementAndGet();
                    return;
                }
                assertThat(stream.status()).isIn(429, 503); // the server counts a closed stream until it notices
            } catch (IOException e) {
                Thread.onSpinWait(); // no server is listening now
            }
        }
    }
}
