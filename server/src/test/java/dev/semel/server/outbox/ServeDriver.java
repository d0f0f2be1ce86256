package dev.semel.server.outbox;

import dev.semel.server.ServerProcess;
import dev.semel.testkit.client.ServerDriver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Runs {@code semel serve}. */
final class ServeDriver implements ServerDriver, AutoCloseable {

    private final String store;
    private @Nullable ServerProcess server;

    /**
     * Starts the server.
     *
     * @param store the URL of its store
     */
    ServeDriver(String store) {
        this.store = store;
        start();
    }

    /** Returns a view of this server for a user. */
    ServerDriver as(String user) {
        return new ServerDriver() {
            @Override
            public int port() {
                return ServeDriver.this.port();
            }

            @Override
            public void kill() {
                ServeDriver.this.kill();
            }

            @Override
            public void start() {
                ServeDriver.this.start();
            }

            @Override
            public List<String> effects() {
                return textsOf(user);
            }
        };
    }

    private ServerProcess server() {
        return Objects.requireNonNull(server);
    }

    @Override
    public int port() {
        return URI.create(server().url()).getPort();
    }

    @Override
    public void kill() {
        try {
            server().kill();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void start() {
        try {
            server = ServerProcess.start(store);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public List<String> effects() {
        throw new UnsupportedOperationException("They are those of a user");
    }

    /** Returns the texts of the posts of a user, the oldest first. */
    List<String> textsOf(String user) {
        try {
            List<String> texts = new ArrayList<>();
            for (JsonNode post : server().items("/v1/feed/posts")) {
                if (post.get("author").stringValue().equals(user)) {
                    texts.add(0, post.get("text").stringValue());
                }
            }
            return texts;
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
