package dev.semel.boot;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A customer with a browser: sends requests with a login, and keeps cookies. */
final class Customer {

    private static final Duration LONGEST = Duration.ofSeconds(60);

    private final HttpClient client =
            HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
    private final int port;
    private final String authorization;

    Customer(int port, String name) {
        this.port = port;
        this.authorization =
                "Basic " + Base64.getEncoder().encodeToString((name + ":" + Shop.PASSWORD).getBytes(UTF_8));
    }

    int port() {
        return port;
    }

    /** Returns a request with a key, or without one. */
    HttpRequest.Builder request(String path, @Nullable String key) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Authorization", authorization)
                .timeout(LONGEST);
        return key == null ? request : request.header("Idempotency-Key", key);
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Sends a request. Cancelling the future closes the connection. */
    CompletableFuture<HttpResponse<String>> sendAsync(HttpRequest.Builder request) {
        return client.sendAsync(request.build(), BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path) {
        return send(request(path, null));
    }

    /** Sends an order as text. */
    HttpResponse<String> order(String path, @Nullable String key, String order) {
        return send(orderRequest(path, key, order));
    }

    HttpRequest.Builder orderRequest(String path, @Nullable String key, String order) {
        return request(path, key).header("Content-Type", "text/plain").POST(BodyPublishers.ofString(order));
    }

    /** Sends an order, and waits for the response of an earlier one with the same key. */
    HttpResponse<String> orderWaiting(String path, String key, String order) {
        return send(orderRequest(path, key, order).header("Prefer", "wait=30"));
    }

    static boolean isReplay(HttpResponse<?> response) {
        return response.headers().firstValue("Idempotency-Replayed").isPresent();
    }
}
