package dev.semel.outbox;

import dev.semel.store.Time;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads the events of a Semel server's feed ({@code GET /v1/feed/events}), and marks those that an outbox has caused, so that a client does
 * not apply its own changes a second time. Events are recognized by their client transaction id.
 *
 * <p>One thread reads, and calls the listener with the events in order. If the connection is lost, it reconnects with backoff and resumes
 * after the last event: no event is missed or repeated. If the server no longer has the missed events, it sends an event of type {@code reset}.
 */
public final class SelfEcho implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(SelfEcho.class.getName());

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    /** The server sends at least a comment every 15 seconds. */
    private static final Duration SILENCE = Duration.ofSeconds(45);

    private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration CLOSING = Duration.ofSeconds(5);
    private static final long SHORTEST_BACKOFF_MILLIS = 1_000;
    private static final long LONGEST_BACKOFF_MILLIS = 32_000;
    private static final int OK = 200;
    private static final int UNAUTHORIZED = 401;

    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(CONNECT_TIMEOUT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
    private final URI events;
    private final TokenSupplier tokens;
    private final Consumer<Event> listener;
    private final Predicate<String> isOwn;
    private final Time time;
    private final AtomicLong lastLineAt = new AtomicLong();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final Thread reader = new Thread(this::run, "semel-self-echo");

    private @Nullable String token;
    private long backoffMillis = SHORTEST_BACKOFF_MILLIS;
    private volatile String lastEventId;
    private volatile @Nullable InputStream open;

    private SelfEcho(
            Predicate<String> isOwn,
            URI api,
            TokenSupplier tokens,
            String lastEventId,
            Consumer<Event> listener,
            Time time) {
        this.isOwn = isOwn;
        this.events = api.resolve("/v1/feed/events");
        this.tokens = tokens;
        this.lastEventId = lastEventId;
        this.listener = listener;
        this.time = time;
    }

    /**
     * Starts to read the events of a feed. An event counts as caused by the outbox while the outbox has its entry: until a confirmed entry
     * expires.
     *
     * @param api the address of the server
     * @param lastEventId the {@link #lastEventId} after which to resume; empty to start with the next event
     * @param listener receives the events in order
     */
    public static SelfEcho start(
            Outbox outbox, URI api, TokenSupplier tokens, String lastEventId, Consumer<Event> listener) {
        SelfEcho echo =
                new SelfEcho(outbox.entries()::hasTransaction, api, tokens, lastEventId, listener, Time.system());
        echo.reader.setDaemon(true);
        echo.reader.start();
        return echo;
    }

    /**
     * An event of the feed.
     *
     * @param id identifies the position in the stream
     * @param type {@code post}, {@code like}, {@code comment}, {@code delete} or {@code reset}
     * @param data a JSON object
     * @param own whether this outbox has caused the event
     */
    public record Event(String id, String type, String data, boolean own) {}

    /** Returns the id of the last event that the listener has received, or of the position at which the stream started; empty before that. */
    public String lastEventId() {
        return lastEventId;
    }

    private void run() {
        while (!closed.isDone()) {
            Duration pause = readUntilDisconnected();
            try {
                time.await(closed, pause);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Returns how long to wait before the next attempt. */
    private Duration readUntilDisconnected() {
        String problem;
        try {
            if (token == null) {
                token = tokens.token(null);
            }
            HttpResponse<InputStream> response = connect(token);
            if (response.statusCode() == UNAUTHORIZED) {
                response.body().close();
                String fresh = tokens.token(token);
                boolean other = !fresh.equals(token);
                token = fresh;
                problem = "the token was rejected";
                if (other) {
                    response = connect(fresh);
                }
            } else {
                problem = "status " + response.statusCode();
            }
            try (InputStream body = response.body()) {
                if (isEventStream(response)) {
                    return read(body);
                }
            }
        } catch (Exception e) { // a token supplier may throw anything
            problem = e.toString();
        }
        Duration pause = backoff();
        if (!closed.isDone()) {
            LOG.log(Level.DEBUG, "Cannot read {0}: {1}. Next attempt in {2}", events, problem, pause);
        }
        return pause;
    }

    private HttpResponse<InputStream> connect(String bearer) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(events)
                .timeout(RESPONSE_TIMEOUT)
                .header("Accept", "text/event-stream")
                .header("Authorization", "Bearer " + bearer);
        if (!lastEventId.isEmpty()) {
            request.header("Last-Event-ID", lastEventId);
        }
        CompletableFuture<HttpResponse<InputStream>> response =
                client.sendAsync(request.build(), BodyHandlers.ofInputStream());
        try {
            CompletableFuture.anyOf(response, closed).get();
            if (response.isDone()) {
                return response.get();
            }
            response.cancel(true);
            throw new IOException("closed");
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
    }

    /** A captive portal responds with another type. */
    private static boolean isEventStream(HttpResponse<?> response) {
        return response.statusCode() == OK
                && response.headers().firstValue("Content-Type").orElse("").startsWith("text/event-stream");
    }

    /** Reads a stream to its end, and returns how long to wait before the next one. */
    private Duration read(InputStream body) {
        open = body;
        lastLineAt.set(time.nanoTime());
        endIfSilent(body);
        EventParser parser = new EventParser(body, lastEventId, () -> lastLineAt.set(time.nanoTime()));
        try {
            for (EventParser.Parsed event = parser.next(); event != null && !closed.isDone(); event = parser.next()) {
                if (!event.data().isEmpty()) {
                    deliver(event);
                    backoffMillis = SHORTEST_BACKOFF_MILLIS;
                }
                lastEventId = event.id();
            }
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "The stream of {0} has ended: {1}", events, e.toString());
        } finally {
            open = null;
        }
        Duration asked = parser.reconnectAfter();
        return asked == null ? backoff() : shortened(asked.toMillis());
    }

    /** Ends a stream on which nothing has arrived for some time: its connection is lost, although it was not closed. */
    private void endIfSilent(InputStream body) {
        if (open != body) {
            return;
        }
        Duration silence = Duration.ofNanos(time.nanoTime() - lastLineAt.get());
        if (silence.compareTo(SILENCE) >= 0) {
            closeQuietly(body);
        } else {
            Runnable unused = time.after(SILENCE.minus(silence), () -> endIfSilent(body));
        }
    }

    private void deliver(EventParser.Parsed event) {
        try {
            String clientTxId = JsonMembers.of(event.data()).get("clientTxId");
            boolean own = clientTxId != null && isOwn.test(clientTxId);
            listener.accept(new Event(event.id(), event.type(), event.data(), own));
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "The listener of feed events has failed at event " + event.id(), e);
        }
    }

    private Duration backoff() {
        long pause = backoffMillis;
        backoffMillis = Math.min(LONGEST_BACKOFF_MILLIS, backoffMillis * 2);
        return shortened(pause);
    }

    /** Shortens a pause by up to half at random, so that clients do not reconnect all at once. */
    private static Duration shortened(long millis) {
        return Duration.ofMillis(millis - ThreadLocalRandom.current().nextLong(millis / 2 + 1));
    }

    private static void closeQuietly(InputStream body) {
        try {
            body.close();
        } catch (IOException e) {
            // it has ended already
        }
    }

    /** Stops reading. The listener is not called after this returns, unless the listener itself closes this, or does not return in time. */
    @Override
    public void close() {
        closed.complete(null);
        InputStream body = open;
        if (body != null) {
            closeQuietly(body);
        }
        if (Thread.currentThread() != reader) {
            try {
                reader.join(CLOSING.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
