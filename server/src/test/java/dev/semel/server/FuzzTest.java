package dev.semel.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.id.IdSchemes;
import dev.semel.testkit.TestSize;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Sends mutated requests over sockets, byte by byte. Each must get a well-formed response: never a 500, a stack trace or a hang. Sends
 * {@code semel.fuzz.requests} requests, for at most {@code semel.fuzz.seconds}.
 */
class FuzzTest {

    private static final int REQUESTS = Integer.getInteger("semel.fuzz.requests", 1_000_000);
    private static final long NANOS = Integer.getInteger("semel.fuzz.seconds", TestSize.of(4, 60)) * 1_000_000_000L;
    private static final int SENDERS = 4;
    private static final int HANG_MILLIS = 50_000;

    private static final List<String> TARGETS = List.of(
            "POST /v1/feed/posts",
            "GET /v1/feed/posts?limit=2",
            "POST /v1/feed/posts/{id}/likes",
            "POST /v1/feed/posts/{id}/comments",
            "DELETE /v1/feed/posts/{id}",
            "GET /v1/feed/posts/{id}/comments?after=abc",
            "POST /api/submit",
            "GET /api/posts/260107-bc",
            "GET /p/260107-bc",
            "POST /v1/collections/things/records?scheme=tid62&prefix=a",
            "PUT /v1/collections/things/records/{id}",
            "GET /v1/collections/things/records?prefix=a&limit=1000",
            "PUT /v1/collections/things",
            "PUT /v1/collections/other",
            "GET /v1/collections?limit=2",
            "POST /v1/collections/other/records?user={id}",
            "GET /v1/collections/other/records?user={id}",
            "GET /v1/ids/uuid7?n=3",
            "POST /v1/tables",
            "POST /v1/tables/{uuid}/sessions",
            "POST /v1/tables/{uuid}/actions",
            "DELETE /v1/tables/{uuid}",
            "DELETE /v1/tables/{uuid}/hands/{uuid}",
            "POST /v1/settlements",
            "GET /v1/settlements/{uuid}:{uuid}",
            "POST /v1/documents/votes",
            "PUT /v1/documents/users/usr_{hex}",
            "GET /v1/documents/votes?tag={hex}&target={hex}",
            "GET /v1/idempotency/{id}?endpoint=POST%20/api/submit",
            "POST /v1/dev/token",
            "GET /health/ready",
            "GET /");

    private static final List<String> BODIES = List.of(
            "",
            "{}",
            "{\"text\":\"hello\"}",
            "{\"body\":\"hello\",\"title\":\"t\"}",
            "{\"user\":\"ann\",\"roles\":[]}",
            "{\"data\":{\"a\":1}}",
            "{\"key\":\"{user:tid62}-{n:word}\",\"scheme\":\"seq10\",\"indexes\":{\"i\":\"{n}-{user}\"}}",
            "{\"type\":\"action\",\"clientMsgId\":\"550e8400-e29b-41d4-a716-446655440000\",\"action\":\"raise\",\"amount\":100}",
            "{\"tableId\":\"550e8400-e29b-41d4-a716-446655440000\",\"handId\":\"550e8400-e29b-41d4-a716-446655440001\"}",
            "[1,2,3]",
            "\"text\"",
            "1e400",
            "{\"amount\":99999999999999999999999999}",
            "{\"a\":1,\"a\":2}",
            "\uFEFF{}",
            "[".repeat(5000));

    private static final List<String> HOSTILE = List.of(
            "",
            "%",
            "%zz",
            "%00",
            "%2e%2e",
            "..",
            "%2F",
            "%5c",
            ";a=b",
            "//",
            "\u00e9",
            "%ff%fe",
            "'",
            "\"",
            "<script>",
            "{{7*7}}",
            "${jndi:x}",
            "null",
            "-1",
            "0",
            "2147483648",
            "1e9",
            "a".repeat(300),
            "\t",
            "\u0000",
            "*",
            "?",
            "#",
            "post:260107-bc",
            "\uD83D\uDE00",
            "true",
            "[]",
            "/",
            "\\",
            "|",
            "%0d%0aSet-Cookie:x=y");

    private static final List<String> HEADERS = List.of(
            "Idempotency-Key",
            "X-Client-Tx-Id",
            "Content-Type",
            "Content-Length",
            "Transfer-Encoding",
            "Authorization",
            "If-Match",
            "If-None-Match",
            "Prefer",
            "Host",
            "Origin",
            "Expect",
            "Accept",
            "X-Request-Id",
            "Content-Encoding",
            "Range",
            "Connection",
            "Upgrade",
            "TE",
            "Cookie",
            "X-Forwarded-For");

    private static final List<String> VALUES = List.of(
            "\"k\"",
            "k",
            "\"",
            "\"\"",
            "*",
            "\"3\"",
            "W/\"3\"",
            "wait=1",
            "wait=-1",
            "chunked",
            "gzip",
            "identity",
            "100-continue",
            "text/plain",
            "application/json;charset=utf-16",
            "0",
            "-1",
            "9999999999999999999",
            "Bearer x",
            "Bearer e30.e30.e30",
            "close",
            "h2c",
            "bytes=0-1",
            "localhost",
            "example.org",
            "http://example.org",
            "*/*");

    private final AtomicInteger sent = new AtomicInteger();
    private final Set<Integer> statuses = ConcurrentHashMap.newKeySet();

    @Test
    void mutatedRequests_getClearResponses() throws Exception {
        long seed = Long.getLong("semel.fuzz.seed", new Random().nextLong());
        ExecutorService senders = Executors.newFixedThreadPool(SENDERS);
        try (ServerFixture server = ServerFixture.onMemory()) {
            String token = server.token("ann");
            long end = System.nanoTime() + NANOS;
            List<Future<?>> sending = new ArrayList<>();
            for (int i = 0; i < SENDERS; i++) {
                Random random = new Random(seed + i);
                sending.add(senders.submit(() -> {
                    send(random, server.server().port(), token, end);
                    return null;
                }));
            }
            for (Future<?> sender : sending) {
                sender.get();
            }
            assertThat(server.as("ann").get("/v1/feed/posts").status()).isEqualTo(200);
        } catch (AssertionError | Exception e) {
            throw new AssertionError("semel.fuzz.seed=" + seed + ": " + e, e);
        } finally {
            senders.shutdownNow();
        }
        assertThat(statuses).contains(200, 201, 400, 401, 404, 405);
    }

    private void send(Random random, int port, String token, long end) throws IOException {
        Wire wire = new Wire(port, statuses);
        try {
            while (sent.incrementAndGet() <= REQUESTS && System.nanoTime() < end) {
                Bent request = Bent.from(random, token);
                wire.send(request);
            }
        } finally {
            wire.close();
        }
    }

    /** The bytes of a request, and whether their end is unambiguous. */
    private static final class Bent {

        private final byte[] bytes;
        private final boolean framed;

        private Bent(byte[] bytes, boolean framed) {
            this.bytes = bytes;
            this.framed = framed;
        }

        static Bent from(Random random, String token) {
            String target = fill(random, pick(random, TARGETS));
            StringBuilder path = new StringBuilder(target.substring(target.indexOf(' ') + 1));
            String method = target.substring(0, target.indexOf(' '));
            byte[] body = pick(random, BODIES).getBytes(UTF_8);
            Map<String, String> headers = new TreeMap<>();
            headers.put("Host", "localhost");
            headers.put("Authorization", "Bearer " + token);
            headers.put("Idempotency-Key", IdSchemes.TID62.mint());
            headers.put("X-Client-Tx-Id", "tx-1");
            boolean framed = true;
            for (int bends = random.nextInt(4); bends > 0; bends--) {
                switch (random.nextInt(7)) {
                    case 0 -> path.insert(1 + random.nextInt(path.length()), pick(random, HOSTILE));
                    case 1 -> method = pick(random, List.of("PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "BREW", "get"));
                    case 2 -> body = bent(random, body);
                    case 3 -> headers.remove(pick(random, HEADERS.subList(0, 6)));
                    case 4, 5 -> {
                        String name = pick(random, HEADERS);
                        headers.put(name, random.nextBoolean() ? pick(random, VALUES) : pick(random, HOSTILE));
                        framed &= !name.matches("Content-Length|Transfer-Encoding|Expect|Host|Connection|Upgrade|TE");
                    }
                    default -> headers.put("X-" + random.nextInt(9), "v".repeat(random.nextInt(3000)));
                }
            }
            headers.putIfAbsent("Content-Length", String.valueOf(body.length));
            boolean clean = path.chars().allMatch(c -> c > ' ' && c < 0x7F)
                    && headers.values().stream().allMatch(v -> v.chars().allMatch(c -> c >= ' ' && c < 0x7F));
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            out.writeBytes((method + " " + path + " HTTP/1.1\r\n").getBytes(UTF_8));
            headers.forEach((name, value) -> out.writeBytes((name + ": " + value + "\r\n").getBytes(UTF_8)));
            out.writeBytes("\r\n".getBytes(UTF_8));
            out.writeBytes(body);
            return new Bent(out.toByteArray(), framed && clean && !method.equals("HEAD"));
        }

        private static String fill(Random random, String target) {
            return target.replace("{id}", IdSchemes.TID62.mint())
                    .replace("{uuid}", random.nextBoolean() ? IdSchemes.UUID4.mint() : "no-uuid")
                    .replace("{hex}", IdSchemes.UUID4S.mint());
        }

        private static byte[] bent(Random random, byte[] body) {
            byte[] bytes = random.nextInt(4) == 0 ? new byte[random.nextInt(200)] : body.clone();
            if (bytes.length != body.length && random.nextInt(4) == 0) {
                random.nextBytes(bytes);
            }
            for (int i = random.nextInt(4); i > 0 && bytes.length > 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            return random.nextInt(3) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)) : bytes;
        }

        private static <T> T pick(Random random, List<T> list) {
            return list.get(random.nextInt(list.size()));
        }
    }

    /** A connection that is opened again after the server closed it, or after a request without a clear end. */
    private static final class Wire {

        private final int port;
        private final Set<Integer> statuses;
        private Socket socket;
        private InputStream in;

        Wire(int port, Set<Integer> statuses) throws IOException {
            this.port = port;
            this.statuses = statuses;
            open();
        }

        private void open() throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setSoTimeout(HANG_MILLIS);
            in = new BufferedInputStream(socket.getInputStream());
        }

        void close() throws IOException {
            socket.close();
        }

        void send(Bent request) throws IOException {
            boolean goesOn;
            try {
                OutputStream out = socket.getOutputStream();
                out.write(request.bytes);
                out.flush();
                if (!request.framed) {
                    socket.shutdownOutput();
                }
                goesOn = read(request) && request.framed;
            } catch (SocketException | EOFException e) {
                goesOn = false; // the server may close a connection after an invalid request
            }
            if (!goesOn) {
                close();
                open();
            }
        }

        /** Reads and checks a response. Returns whether the connection can be used again. */
        private boolean read(Bent request) throws IOException {
            String line = line();
            if (line.startsWith("HTTP/1.1 100")) {
                line();
                line = line();
            }
            String shown = new String(request.bytes, ISO_8859_1);
            assertThat(line).as(shown).matches("HTTP/1\\.1 [2345][0-9][0-9]( .*)?");
            int status = Integer.parseInt(line.substring(9, 12));
            statuses.add(status);
            Map<String, String> headers = headers();
            String body = body(request, headers, status);
            assertThat(status).as(shown + "\n" + body).isNotEqualTo(500).isNotEqualTo(502);
            assertThat(body)
                    .as(shown)
                    .doesNotContain("Exception", "\tat ", "dev.semel.", "org.eclipse", "HTTP/1.1 500");
            if (request.framed && status >= 400) {
                assertThat(headers.getOrDefault("content-type", "")).as(shown).startsWith("application/problem+json");
                assertThat(body).as(shown).contains("\"code\":", "\"error\":", "\"status\":" + status);
            }
            return !headers.getOrDefault("connection", "").equalsIgnoreCase("close");
        }

        private String body(Bent request, Map<String, String> headers, int status) throws IOException {
            if (status == 204 || status == 304 || !request.framed) {
                return request.framed ? "" : new String(in.readAllBytes(), UTF_8);
            }
            if (headers.containsKey("content-length")) {
                return new String(in.readNBytes(Integer.parseInt(headers.get("content-length"))), UTF_8);
            }
            assertThat(headers).containsEntry("transfer-encoding", "chunked");
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (int length = -1; length != 0; ) {
                length = Integer.parseInt(line(), 16);
                all.writeBytes(in.readNBytes(length));
                line();
            }
            return all.toString(UTF_8);
        }

        private Map<String, String> headers() throws IOException {
            Map<String, String> headers = new TreeMap<>();
            for (String line = line(); !line.isEmpty(); line = line()) {
                int colon = line.indexOf(':');
                headers.put(
                        line.substring(0, colon).toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).strip());
            }
            return headers;
        }

        private String line() throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int c = in.read(); c != '\n'; c = in.read()) {
                if (c < 0) {
                    throw new EOFException();
                }
                line.write(c);
            }
            return line.toString(ISO_8859_1).stripTrailing();
        }
    }
}
