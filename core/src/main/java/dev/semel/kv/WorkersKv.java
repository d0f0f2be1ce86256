package dev.semel.kv;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.json.Json;
import dev.semel.json.MalformedJsonException;
import dev.semel.store.DocumentId;
import dev.semel.store.StoreException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A namespace of Cloudflare Workers KV, over its REST API.
 *
 * <p>Workers KV shows a write to readers elsewhere after 60 seconds or more, and caches that a key is absent. Its staleness has no bound, so
 * {@link KvShortIdAllocator} cannot exclude overwrites on it: only {@link KvShortIdAllocator#acceptingOverwrites} accepts it.
 *
 * <p>Requests are not retried. Each has a timeout, which includes the response. Thread-safe.
 */
public final class WorkersKv implements KeyValueStore {

    /** The address of Cloudflare's API. */
    public static final URI CLOUDFLARE = URI.create("https://api.cloudflare.com/client/v4/");

    private static final Duration LEAST_TTL = Duration.ofSeconds(60);
    private static final int TOO_MANY_REQUESTS = 429;

    private final HttpClient client;
    private final String values;
    private final String token;
    private final Duration timeout;

    /**
     * Makes a client for a namespace.
     *
     * @param api {@link #CLOUDFLARE}, or another address that has this API
     * @param account id of the account
     * @param namespace id of the namespace
     * @param token an API token that may edit the namespace. It is sent to the API only, and appears in no text of this class
     * @param timeout the longest time that a request may take
     * @throws IllegalArgumentException if an id is not 1 to 64 letters, digits, hyphens and underscores, the address is not that of an HTTP
     *     server, the token cannot be sent in a header, or the timeout is not positive
     */
    public WorkersKv(URI api, String account, String namespace, String token, Duration timeout) {
        if (timeout.isZero() || timeout.isNegative()) {
            throw new IllegalArgumentException("The timeout must be positive, not " + timeout);
        }
        if (!token.matches("[!-~]{1,1024}")) {
            throw new IllegalArgumentException("The token must have 1 to 1024 visible ASCII characters");
        }
        if (api.getHost() == null || !("https".equals(api.getScheme()) || "http".equals(api.getScheme()))) {
            throw new IllegalArgumentException("The address of the API must begin with https:// and a host");
        }
        String base = api.toString();
        this.values = (base.endsWith("/") ? base : base + "/") + "accounts/" + checked("account", account)
                + "/storage/kv/namespaces/" + checked("namespace", namespace) + "/values/";
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER) // the token is for this host
                .connectTimeout(timeout)
                .build();
        this.token = token;
        this.timeout = timeout;
    }

    private static String checked(String name, String id) {
        if (!id.matches("[A-Za-z0-9_-]{1,64}")) {
            throw new IllegalArgumentException(
                    "The id of the " + name + " must have 1 to 64 letters, digits, hyphens and underscores");
        }
        return id;
    }

    /** {@inheritDoc} A value that is not JSON, which another program may have written, is returned as a JSON string. */
    @Override
    public Optional<Json> get(String key) {
        HttpResponse<byte[]> response = send("get", request(key, "").GET());
        if (response.statusCode() == HttpURLConnection.HTTP_NOT_FOUND) {
            return Optional.empty();
        }
        check("get", response.statusCode());
        try {
            return Optional.of(Json.of(response.body()));
        } catch (MalformedJsonException e) {
            return Optional.of(quoted(response.body()));
        }
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException if the TTL is below 60 seconds, the least that Workers KV accepts
     */
    @Override
    public void put(String key, Json value, @Nullable Duration ttl) {
        if (ttl != null && ttl.compareTo(LEAST_TTL) < 0) {
            throw new IllegalArgumentException("Workers KV accepts a TTL of at least 60 seconds, not " + ttl);
        }
        String query = ttl == null
                ? ""
                : "?expiration_ttl=" + ttl.plusNanos(999_999_999).toSeconds();
        HttpRequest.Builder request = request(key, query)
                .setHeader("Content-Type", "text/plain; charset=utf-8")
                .PUT(BodyPublishers.ofByteArray(value.bytes()));
        check("put", send("put", request).statusCode());
    }

    @Override
    public void delete(String key) {
        int status = send("delete", request(key, "").DELETE()).statusCode();
        if (status != HttpURLConnection.HTTP_NOT_FOUND) {
            check("delete", status);
        }
    }

    private HttpRequest.Builder request(String key, String query) {
        DocumentId.checkVisible("key", key, LONGEST_KEY);
        if (key.equals(".") || key.equals("..")) {
            throw new IllegalArgumentException("Workers KV does not accept the key " + key);
        }
        return HttpRequest.newBuilder(URI.create(values + URLEncoder.encode(key, UTF_8) + query))
                .setHeader("Authorization", "Bearer " + token);
    }

    /** Sends a request and waits for its whole response, since the timeout of the client ends with the headers. */
    private HttpResponse<byte[]> send(String operation, HttpRequest.Builder request) {
        CompletableFuture<HttpResponse<byte[]>> response =
                client.sendAsync(request.build(), BodyHandlers.ofByteArray());
        try {
            return response.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            response.cancel(true);
            throw StoreException.unavailable(
                    "Workers KV did not respond to " + operation + " within " + timeout.toMillis() + " ms", null);
        } catch (InterruptedException e) {
            response.cancel(true);
            Thread.currentThread().interrupt();
            throw StoreException.unavailable("Interrupted while waiting for Workers KV", null);
        } catch (ExecutionException e) {
            throw failed(operation, e.getCause());
        }
    }

    private static StoreException failed(String operation, @Nullable Throwable cause) {
        if (cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException) {
            return StoreException.rejected("Workers KV cannot be reached", cause);
        }
        if (cause instanceof IOException) {
            return StoreException.unavailable("The connection to Workers KV broke during " + operation, cause);
        }
        throw new IllegalStateException("Workers KV could not be called", cause);
    }

    /** Maps a status. The body of an error is not used, since it is from another system. */
    private static void check(String operation, int status) {
        if (status >= 200 && status < 300) {
            return;
        }
        String failure = "Workers KV responded to " + operation + " with status " + status;
        if (status == TOO_MANY_REQUESTS) {
            throw StoreException.rejected(failure + ": too many requests, or more than one write a second to a key");
        }
        if (status == HttpURLConnection.HTTP_UNAUTHORIZED || status == HttpURLConnection.HTTP_FORBIDDEN) {
            throw StoreException.rejected(failure + ": the token is invalid, or may not edit the namespace");
        }
        throw status < 500 ? StoreException.rejected(failure) : StoreException.unavailable(failure, null);
    }

    private static Json quoted(byte[] text) {
        StringBuilder json = new StringBuilder("\"");
        for (char c : new String(text, UTF_8).toCharArray()) {
            if (c == '"' || c == '\\' || c < ' ') {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        return Json.of(json.append('"').toString());
    }

    /** Returns a text without the token. */
    @Override
    public String toString() {
        return "WorkersKv[" + values + "]";
    }
}
