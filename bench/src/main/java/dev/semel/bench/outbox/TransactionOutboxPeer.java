package dev.semel.bench.outbox;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import com.gruelbox.transactionoutbox.TransactionOutbox.TransactionOutboxBuilder;
import com.gruelbox.transactionoutbox.TransactionOutboxEntry;
import com.gruelbox.transactionoutbox.TransactionOutboxListener;
import dev.semel.id.IdSchemes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** transaction-outbox: each entry is a call of a method that sends a request. */
final class TransactionOutboxPeer implements TransactionOutboxListener, AutoCloseable {

    private static final int CREATED = 201;
    private static final int BATCH = 200;

    /** It does not store entries that are due at once. */
    private static final Duration UNTIL_DUE = Duration.ofSeconds(1);

    /** The method whose calls are stored. */
    public interface Sender {
        void send(String key, String payload);
    }

    private final Target target;
    private final TransactionManager transactions;
    private final ExecutorService threads;
    private final HttpClient client;
    private volatile CountDownLatch waiting = new CountDownLatch(0);

    /** @param pool has a connection for each sender, which it needs during a request, and one more */
    TransactionOutboxPeer(DataSource pool, Target target, int connections) {
        this.target = target;
        this.transactions = TransactionManager.fromDataSource(pool);
        this.threads = Executors.newFixedThreadPool(connections);
        this.client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    /** Stores entries that are not sent yet, and returns when all are due. */
    void fill(int entries) throws InterruptedException {
        TransactionOutbox outbox =
                builder((entry, local) -> {}).attemptFrequency(UNTIL_DUE).build();
        for (int from = 0; from < entries; from += BATCH) {
            int count = Math.min(BATCH, entries - from);
            transactions.inTransaction(() -> {
                for (int i = 0; i < count; i++) {
                    outbox.schedule(Sender.class).send(IdSchemes.UUID4.mint(), Target.PAYLOAD);
                }
            });
        }
        TimeUnit.NANOSECONDS.sleep(UNTIL_DUE.toNanos());
    }

    /** Sends and deletes all entries, and returns how many per second. */
    double drain(int entries) throws InterruptedException {
        waiting = new CountDownLatch(entries);
        long startedAt = System.nanoTime();
        TransactionOutbox outbox =
                builder(Submitter.withExecutor(threads)).listener(this).build();
        while (outbox.flush()) {
            // the next batch
        }
        if (!waiting.await(Drain.TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("transaction-outbox has not sent " + waiting.getCount() + " entries");
        }
        return entries * 1e9 / (System.nanoTime() - startedAt);
    }

    private TransactionOutboxBuilder builder(Submitter submitter) {
        return TransactionOutbox.builder()
                .transactionManager(transactions)
                .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                .instantiator(Instantiator.using(type -> (Sender) this::send))
                .submitter(submitter);
    }

    /** The transaction that has deleted an entry is committed. */
    @Override
    public void success(TransactionOutboxEntry entry) {
        waiting.countDown();
    }

    private void send(String key, String payload) {
        HttpRequest request = HttpRequest.newBuilder(target.endpoint())
                .header("Content-Type", "application/json")
                .header("Authorization", "Bearer " + target.token())
                .header("Idempotency-Key", key)
                .header("X-Client-Tx-Id", key)
                .POST(BodyPublishers.ofString(payload))
                .build();
        try {
            int status = client.send(request, BodyHandlers.ofString()).statusCode();
            if (status != CREATED) {
                throw new IllegalStateException("The server responds with status " + status);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while measuring", e);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
