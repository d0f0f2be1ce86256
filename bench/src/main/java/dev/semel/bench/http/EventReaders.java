package dev.semel.bench.http;

import dev.semel.bench.http.Wrk.Load;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Reads the events of the feed with many readers while posts are written. */
final class EventReaders implements AutoCloseable {

    private static final String TEXT = "\"text\":\"at ";
    private static final int WRITERS = 16;
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String url;
    private final String writer;
    private final Reader[] readers;
    private final Semaphore connected = new Semaphore(0);
    private final Semaphore delivered = new Semaphore(0);
    private final AtomicInteger delays = new AtomicInteger();
    private volatile long[] nanos = {};

    /** Connects the readers, and returns when all are connected. */
    EventReaders(ServerProcess server, int readers) throws InterruptedException {
        this.url = server.url();
        this.writer = server.token("writer");
        this.readers = new Reader[readers];
        for (int i = 0; i < readers; i++) {
            this.readers[i] = new Reader();
            HttpRequest request =
                    request("/v1/feed/events", server.token("reader-" + i)).build();
            var unused = client.sendAsync(request, BodyHandlers.fromLineSubscriber(this.readers[i]));
        }
        await(connected, readers);
    }

    private HttpRequest.Builder request(String path, String token) {
        return HttpRequest.newBuilder(URI.create(url + path)).header("Authorization", "Bearer " + token);
    }

    private static void await(Semaphore permits, int wanted) throws InterruptedException {
        if (!permits.tryAcquire(wanted, TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("Not all events were delivered");
        }
    }

    /**
     * Writes posts as fast as the server accepts them, and then one at a time.
     *
     * @return events per second delivered to all readers under full load, and the time from sending a post to receiving its event, with
     *     one post at a time
     */
    Load load(int many, int single) throws InterruptedException {
        nanos = new long[many * readers.length];
        delays.set(0);
        long from = System.nanoTime();
        CompletableFuture<?>[] writing = new CompletableFuture<?>[WRITERS];
        for (int writer = 0; writer < WRITERS; writer++) {
            writing[writer] = CompletableFuture.runAsync(() -> post(many / WRITERS), task -> new Thread(task).start());
        }
        CompletableFuture.allOf(writing).join();
        await(delivered, many / WRITERS * WRITERS * readers.length);
        double seconds = (System.nanoTime() - from) / 1e9;
        nanos = new long[single * readers.length];
        delays.set(0);
        for (int i = 0; i < single; i++) {
            post(1);
            await(delivered, readers.length);
        }
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return new Load(
                many / WRITERS * WRITERS * readers.length / seconds,
                sorted[sorted.length / 2] / 1e3,
                sorted[sorted.length * 99 / 100] / 1e3);
    }

    private void post(int count) {
        for (int i = 0; i < count; i++) {
            HttpRequest request = request("/v1/feed/posts", writer)
                    .header("Idempotency-Key", UUID.randomUUID().toString())
                    .header("X-Client-Tx-Id", "bench")
                    .POST(BodyPublishers.ofString("{" + TEXT + System.nanoTime() + "\"}"))
                    .build();
            try {
                client.send(request, BodyHandlers.discarding());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    @Override
    public void close() {
        for (Reader reader : readers) {
            reader.disconnect();
        }
    }

    /** A reader: counts events and records their delays. */
    private final class Reader implements Flow.Subscriber<String> {

        private Flow.Subscription subscription = new Flow.Subscription() {
            @Override
            public void request(long n) {}

            @Override
            public void cancel() {}
        };

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            this.subscription = subscription;
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(String line) {
            int text = line.indexOf(TEXT);
            if (line.startsWith("retry: ")) {
                connected.release();
            } else if (line.startsWith("data: ") && text > 0) {
                int number = text + TEXT.length();
                long sent = Long.parseLong(line, number, line.indexOf('"', number), 10);
                nanos[delays.getAndIncrement()] = System.nanoTime() - sent;
                delivered.release();
            }
        }

        void disconnect() {
            subscription.cancel();
        }

        @Override
        public void onError(Throwable e) {
            // awaiting its events fails
        }

        @Override
        public void onComplete() {
            // awaiting its events fails
        }
    }
}
