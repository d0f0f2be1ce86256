package dev.semel.server.outbox;

import dev.semel.memory.MemoryStore;
import dev.semel.server.Apps;
import dev.semel.server.ServerFixture;
import dev.semel.testkit.ScaledTime;
import dev.semel.testkit.client.ServerDriver;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Runs a server in this process, whose clock can be set forward. It cannot be killed. */
final class FixtureDriver implements ServerDriver, AutoCloseable {

    private final ScaledTime time = new ScaledTime(InstantSource.system().instant(), 1, Duration.ZERO);
    private final ServerFixture server = ServerFixture.on(new MemoryStore(time, 1 << 26), time, Apps::all);
    private final String user;

    /**
     * Starts a server.
     *
     * @param user the user whose posts are the effects
     */
    FixtureDriver(String user) {
        this.user = user;
    }

    @Override
    public int port() {
        return server.server().port();
    }

    @Override
    public void kill() {
        throw new UnsupportedOperationException("It runs in this process");
    }

    @Override
    public void start() {
        throw new UnsupportedOperationException("It runs in this process");
    }

    @Override
    public boolean advance(Duration step) {
        time.advance(step);
        return true;
    }

    @Override
    public List<String> effects() {
        List<String> texts = new ArrayList<>();
        for (JsonNode post :
                server.as("reader").get("/v1/feed/posts?limit=1000").json().get("items")) {
            if (post.get("author").stringValue().equals(user)) {
                texts.add(0, post.get("text").stringValue());
            }
        }
        return texts;
    }

    @Override
    public void close() {
        server.close();
    }
}
