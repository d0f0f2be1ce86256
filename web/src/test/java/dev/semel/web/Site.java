package dev.semel.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.semel.store.Time;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A web site with the outbox, a page that uses it, and a small API. The page has a strict content security policy. Each site has another
 * origin, so its storage is empty.
 */
final class Site implements AutoCloseable {

    private static final String POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'";

    private final HttpServer server;
    private final List<Received> received = new ArrayList<>();
    private volatile Api api = Received::confirmed;

    /**
     * A request that the API has received.
     *
     * @param headers by name in lower case
     */
    record Received(String method, String path, Map<String, String> headers, String body) {

        String header(String name) {
            return headers.getOrDefault(name, "");
        }

        /** Returns the response of an API that has processed the request. */
        Reply confirmed() {
            return new Reply(201, Map.of("X-Client-Tx-Id", header("x-client-tx-id")), "{}");
        }
    }

    /** A response. With status 0, the connection ends without one. */
    record Reply(int status, Map<String, String> headers, String body) {

        static Reply of(int status) {
            return new Reply(status, Map.of(), "");
        }
    }

    /** Responds to requests. It may block. */
    @FunctionalInterface
    interface Api {

        Reply respond(Received request) throws InterruptedException;
    }

    private Site(HttpServer server) {
        this.server = server;
    }

    static Site start() {
        try {
            Site site = new Site(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
            site.server.setExecutor(Time.threads());
            site.server.createContext("/", exchange -> handle(exchange, site::page));
            site.server.createContext("/v1", exchange -> handle(exchange, site::api));
            site.server.start();
            return site;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the address of the page. */
    String page() {
        return origin() + "/page";
    }

    String origin() {
        return "http://localhost:" + server.getAddress().getPort();
    }

    /** Sets how the API responds from now on. */
    void respond(Api responses) {
        api = responses;
    }

    /** Returns the requests to the API so far. */
    List<Received> received() {
        synchronized (received) {
            return List.copyOf(received);
        }
    }

    /** Returns the bodies of the requests so far. */
    List<String> bodies() {
        return received().stream().map(Received::body).toList();
    }

    private Reply api(Received request) throws InterruptedException {
        synchronized (received) {
            received.add(request);
        }
        return api.respond(request);
    }

    private Reply page(Received request) {
        String path = request.path();
        if (path.equals("/page")) {
            return new Reply(
                    200,
                    Map.of("Content-Type", "text/html", "Content-Security-Policy", POLICY),
                    "<!doctype html><title>page</title><script type=module src=/harness.js></script>");
        }
        String resource = path.equals("/harness.js") ? "harness.js" : path.replaceFirst("^/assets/", "");
        try (InputStream in = Site.class.getResourceAsStream(resource)) {
            return in == null
                    ? Reply.of(404)
                    : new Reply(200, Map.of("Content-Type", "text/javascript"), new String(in.readAllBytes(), UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void handle(HttpExchange exchange, Api responses) throws IOException {
        try (exchange) {
            Map<String, String> headers = new TreeMap<>();
            exchange.getRequestHeaders()
                    .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.get(0)));
            String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            Reply reply = responses.respond(new Received(
                    exchange.getRequestMethod(), exchange.getRequestURI().toString(), headers, body));
            if (reply.status() == 0) {
                throw new IOException("ends the connection");
            }
            byte[] bytes = reply.body().getBytes(UTF_8);
            reply.headers().forEach(exchange.getResponseHeaders()::set);
            exchange.getResponseHeaders()
                    .set("Connection", "close"); // a browser resends on a connection that ends when it is used again
            exchange.sendResponseHeaders(reply.status(), bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
