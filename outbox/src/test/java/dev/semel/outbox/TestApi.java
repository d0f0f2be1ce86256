package dev.semel.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** A small API on a real socket that executes each key once, and whose responses a test can replace. */
final class TestApi implements AutoCloseable {

    /** A request as it has arrived. */
    record Received(String method, String path, String key, String clientTxId, String authorization, String body) {}

    /** A response. With the status 0, the connection is closed without one. */
    record Reply(int status, Map<String, String> headers, String body) {

        static Reply of(int status) {
            return new Reply(status, Map.of(), "");
        }

        Reply with(String header, String value) {
            Map<String, String> more = new ConcurrentHashMap<>(headers);
            more.put(header, value);
            return new Reply(status, more, body);
        }

        Reply withBody(String text) {
            return new Reply(status, headers, text);
        }

        /** Repeats the client's transaction id, as the API does. */
        Reply provenTo(Received request) {
            return with("X-Client-Tx-Id", request.clientTxId());
        }
    }

    static {
        System.setProperty("sun.net.httpserver.nodelay", "true"); // otherwise each response waits 40 ms
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Received> requests = new CopyOnWriteArrayList<>();
    private final Map<String, Reply> completed = new ConcurrentHashMap<>();
    private final List<String> effects = new ArrayList<>(); // guarded by itself
    private volatile Function<Received, Reply> handler = this::execute;

    TestApi() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** Replaces the responses. */
    TestApi respond(Function<Received, Reply> handler) {
        this.handler = handler;
        return this;
    }

    /** Responds with these in turn, and then executes requests. */
    TestApi respond(Reply... replies) {
        List<Reply> rest = new ArrayList<>(List.of(replies));
        return respond(request -> {
            Reply next;
            synchronized (rest) {
                next = rest.isEmpty() ? null : rest.remove(0);
            }
            return next == null ? execute(request) : next;
        });
    }

    /** Executes a request unless it was executed before. */
    Reply execute(Received request) {
        synchronized (effects) {
            Reply before = completed.get(request.key());
            if (before != null) {
                return before.with("Idempotency-Replayed", "true").provenTo(request);
            }
            effects.add(request.body());
            Reply reply = Reply.of(201)
                    .withBody("{\"made\":" + effects.size() + "}")
                    .with(
                            "Idempotency-Expires",
                            Instant.now().plusSeconds(86_400).toString());
            completed.put(request.key(), Reply.of(201).withBody(reply.body()));
            return reply.provenTo(request);
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        Received request = new Received(
                exchange.getRequestMethod(),
                exchange.getRequestURI().toString(),
                header(exchange, "Idempotency-Key"),
                header(exchange, "X-Client-Tx-Id"),
                header(exchange, "Authorization"),
                new String(exchange.getRequestBody().readAllBytes(), UTF_8));
        requests.add(request);
        Reply reply = handler.apply(request);
        if (reply.status() == 0) {
            exchange.close();
            return;
        }
        reply.headers().forEach(exchange.getResponseHeaders()::set);
        byte[] body = reply.body().getBytes(UTF_8);
        exchange.sendResponseHeaders(reply.status(), body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private static String header(HttpExchange exchange, String name) {
        String value = exchange.getRequestHeaders().getFirst(name);
        return value == null ? "" : value;
    }

    /** Returns all requests, in the order of their arrival. */
    List<Received> requests() {
        return requests;
    }

    /** Returns the bodies of the requests that were executed, in order. */
    List<String> effects() {
        synchronized (effects) {
            return List.copyOf(effects);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
