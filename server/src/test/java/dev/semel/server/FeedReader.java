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
 * Reads the events of a feed until the last, from any of some servers: hangs up now and then, is cut off, and goes on where it was
 * with whichever server answers. Returns all that it was told.
 */
final class FeedReader implements Callable<List<String>> {

    /** The text of the post behind which nothing is read. */
    static final String LAST = "the last of all";

    private static final int DISCONNECTS = 40; // after so many events or so

    private final AtomicReferenceArray<ServerProcess> servers;
    private final Random random;
    private final List<String> journal = new ArrayList<>();
    private EventStream stream;
    private final AtomicInteger resumed = new AtomicInteger();

    /** Begins to read: all that is written from now on. */
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

    /** How often it went on after it was cut off or had hung up. */
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
                // it was cut off
            }
            resume();
        }
    }

    /** False if it ended before, or hung up. */
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
                assertThat(stream.status()).isIn(429, 503); // one that has hung up counts until that is noticed
            } catch (IOException e) {
                Thread.onSpinWait(); // nobody answers there now
            }
        }
    }
}
