package dev.semel.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.store.Time;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Sends requests. Follows no redirects, and repeats nothing. Thread-safe. */
final class Transport {

    /** The most bytes of a response that are kept. */
    static final int MOST_KEPT_BYTES = 1 << 16;

    /** A response with more bytes counts as lost. */
    private static final long MOST_READ_BYTES = 64L << 20;

    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    private final HttpClient client;
    private final URI api;
    private final Duration timeout;
    private final InstantSource clock;

    /**
     * Creates a transport.
     *
     * @param api the address against which endpoints are resolved
     * @param timeout for connecting, and for the whole of a request and its response
     */
    Transport(URI api, Duration timeout, InstantSource clock) {
        this.client = HttpClient.newBuilder()
                .executor(Time.threads()) // virtual threads spare two switches of platform threads per request
                .connectTimeout(timeout)
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
        this.api = api;
        this.timeout = timeout;
        this.clock = clock;
    }

    /** Sends the request of an entry. */
    Reply send(OutboxEntry entry, @Nullable String token) throws InterruptedException {
        HttpRequest.Builder request;
        try {
            request = request(entry.endpoint(), token);
            boolean isEmpty = entry.payload().length() == 0;
            request.header("Idempotency-Key", entry.idempotencyKey())
                    .header("X-Client-Tx-Id", entry.clientTxId())
                    .method(
                            entry.method(),
                            isEmpty ? BodyPublishers.noBody() : entry.payload().publisher());
            if (!isEmpty) {
                request.header("Content-Type", entry.contentType());
            }
        } catch (IllegalArgumentException e) {
            return new Reply.Unsendable(text(e));
        }
        return exchange(request.build());
    }

    /** Sends a GET request for JSON. */
    Reply get(String endpoint, @Nullable String token) throws InterruptedException {
        return exchange(
                request(endpoint, token).header("Accept", "application/json").build());
    }

    private HttpRequest.Builder request(String endpoint, @Nullable String token) {
        URI uri = api.resolve(endpoint);
        // over plain HTTP, HTTP/2 needs an upgrade, which not all servers and proxies handle well
        HttpClient.Version version =
                "https".equalsIgnoreCase(uri.getScheme()) ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1;
        HttpRequest.Builder request = HttpRequest.newBuilder(uri).version(version);
        if (token != null && isOfApi(uri)) {
            request.header("Authorization", "Bearer " + token);
        }
        return request;
    }

    /** Another host must not get the token. */
    boolean isOfApi(URI uri) {
        return uri.getScheme().equalsIgnoreCase(api.getScheme())
                && uri.getHost().equalsIgnoreCase(api.getHost())
                && port(uri) == port(api);
    }

    private static int port(URI uri) {
        int standard = "https".equalsIgnoreCase(uri.getScheme()) ? HTTPS_PORT : HTTP_PORT;
        return uri.getPort() < 0 ? standard : uri.getPort();
    }

    private Reply exchange(HttpRequest request) throws InterruptedException {
        CompletableFuture<HttpResponse<byte[]>> exchange = client.sendAsync(request, head -> new KeptStart());
        try {
            HttpResponse<byte[]> response = exchange.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            return new Reply.Received(
                    response.statusCode(), response.headers(), new String(response.body(), UTF_8), clock.instant());
        } catch (TimeoutException e) {
            return new Reply.Lost("no complete response within " + timeout.toMillis() + " ms");
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            return isBeforeSending(cause) ? new Reply.NotSent(text(cause)) : new Reply.Lost(text(cause));
        } finally {
            exchange.cancel(true);
        }
    }

    private static boolean isBeforeSending(@Nullable Throwable problem) {
        return problem instanceof ConnectException
                || problem instanceof HttpConnectTimeoutException
                || problem instanceof UnresolvedAddressException
                || problem instanceof UnknownHostException;
    }

    private static String text(@Nullable Throwable problem) {
        if (problem == null) {
            return "unknown";
        }
        String message = problem.getMessage();
        if (message == null && problem instanceof ConnectException) {
            return "cannot connect";
        }
        return message == null ? problem.getClass().getSimpleName() : message;
    }

    /** Keeps the start of a body, and reads the rest to its end. */
    private static final class KeptStart implements BodySubscriber<byte[]> {
        private final CompletableFuture<byte[]> result = new CompletableFuture<>();
        private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
        private long read;
        private Flow.@Nullable Subscription subscription;

        @Override
        public CompletionStage<byte[]> getBody() {
            return result;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            this.subscription = subscription;
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            for (ByteBuffer buffer : buffers) {
                read += buffer.remaining();
                byte[] start = new byte[Math.min(buffer.remaining(), MOST_KEPT_BYTES - kept.size())];
                buffer.get(start);
                kept.writeBytes(start);
            }
            if (read > MOST_READ_BYTES && subscription != null) {
                subscription.cancel();
                onError(new IOException("the response has more than " + MOST_READ_BYTES + " bytes"));
            }
        }

        @Override
        public void onError(Throwable problem) {
            result.completeExceptionally(problem);
        }

        @Override
        public void onComplete() {
            result.complete(kept.toByteArray());
        }
    }
}
