package dev.semel.testkit.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.store.Time;
import dev.semel.testkit.ScaledTime;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The part of the API that scenarios need, in memory. A kill ends its connections, and what is stored remains. */
final class SmallApi implements ServerDriver, AutoCloseable {

    static final Duration KEY_LIFE = Duration.ofHours(24);
    static final Duration TOMBSTONE_LIFE = Duration.ofDays(30);

    private static final String POSTS = "/v1/feed/posts";
    private static final String KEYS = "/v1/idempotency/";
    private static final JsonMapper MAPPER = new JsonMapper();

    private final ScaledTime time = new ScaledTime(Instant.now(), 1, Duration.ZERO);
    private final Map<String, Stored> byKey = new HashMap<>();
    private final List<String> texts = new ArrayList<>();
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private volatile ServerSocket listening = listen();
    private final AtomicInteger starts = new AtomicInteger();
    private int tokens;

    /** The outcome of a request. */
    private record Stored(String payload, int status, String body, Instant at) {}

    SmallApi() {
        accept(listening);
    }

    private static ServerSocket listen() {
        try {
            return new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept(ServerSocket from) {
        Time.threads().execute(() -> {
            while (!from.isClosed()) {
                try {
                    Socket socket = from.accept();
                    connections.add(socket);
                    if (from.isClosed()) {
                        socket.close(); // a kill may have missed it
                        return;
                    }
                    Time.threads().execute(() -> serve(socket));
                } catch (IOException e) {
                    // closed
                }
            }
        });
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(socket.getInputStream());
            for (Message next = Message.read(in, false); next != null; next = Message.read(in, false)) {
                socket.getOutputStream().write(respond(next));
            }
        } catch (IOException e) {
            // the client has disconnected, or this was killed
        } finally {
            connections.remove(socket);
        }
    }

    private synchronized byte[] respond(Message request) {
        String[] parts = request.identity().split(" ", 3);
        String target = parts[1];
        if (target.equals("/v1/dev/token")) {
            return response(200, "{\"token\":\"" + prefix() + tokens++ + "\"}", Map.of());
        }
        if (!request.header("Authorization").startsWith("Bearer " + prefix())) {
            return response(401, "{}", Map.of("X-Client-Tx-Id", request.header("X-Client-Tx-Id")));
        }
        if (parts[0].equals("GET")) {
            return target.startsWith(KEYS) ? lookup(target.substring(KEYS.length())) : response(200, "[]", Map.of());
        }
        Map<String, String> proof = new HashMap<>(Map.of("X-Client-Tx-Id", request.header("X-Client-Tx-Id")));
        String key = request.header("Idempotency-Key");
        Stored stored = byKey.get(key);
        if (stored != null && age(stored).compareTo(KEY_LIFE) < 0) {
            proof.put("Idempotency-Replayed", "true");
            return stored.payload().equals(parts[2])
                    ? response(stored.status(), stored.body(), proof)
                    : response(422, "{}", proof);
        }
        Stored executed = execute(target, parts[2]);
        byKey.put(key, executed);
        return response(executed.status(), executed.body(), proof);
    }

    private Stored execute(String target, String payload) {
        if (!target.equals(POSTS)) {
            return new Stored(payload, 404, "{}", time.instant());
        }
        JsonNode text = MAPPER.readTree(payload).path("text");
        if (!text.isString()) {
            return new Stored(payload, 400, "{}", time.instant());
        }
        texts.add(text.stringValue());
        return new Stored(payload, 201, payload, time.instant());
    }

    private byte[] lookup(String rest) {
        Stored stored = byKey.get(rest.split("\\?", 2)[0]);
        if (stored == null || age(stored).compareTo(TOMBSTONE_LIFE) > 0) {
            return response(404, "{}", Map.of());
        }
        return response(200, "{\"status\":\"expired\",\"outcome\":" + stored.status() + "}", Map.of());
    }

    private Duration age(Stored stored) {
        return Duration.between(stored.at(), time.instant());
    }

    /** Returns the start of the tokens of this process. */
    private String prefix() {
        return "token-" + starts.get() + "-";
    }

    private static byte[] response(int status, String body, Map<String, String> headers) {
        StringBuilder text = new StringBuilder("HTTP/1.1 " + status + " Small\r\n");
        headers.forEach((name, value) -> text.append(name + ": " + value + "\r\n"));
        text.append("Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
        return text.toString().getBytes(UTF_8);
    }

    @Override
    public int port() {
        return listening.getLocalPort();
    }

    @Override
    public void kill() {
        close();
    }

    @Override
    public void start() {
        starts.incrementAndGet();
        listening = listen();
        accept(listening);
    }

    @Override
    public boolean advance(Duration step) {
        time.advance(step);
        return true;
    }

    @Override
    public synchronized List<String> effects() {
        return List.copyOf(texts);
    }

    @Override
    public void close() {
        try {
            listening.close();
            for (Socket socket : connections) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
