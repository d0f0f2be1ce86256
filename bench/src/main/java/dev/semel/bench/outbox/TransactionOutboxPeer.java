package dev.semel.bench.outbox;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.bench.PostgresServer;
import dev.semel.id.IdSchemes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** transaction-outbox: each entry is a call of a method that sends a request. */
final class TransactionOutboxPeer implements AutoCloseable {

    private static final int CREATED = 201;
    private static final int BATCH = 200;

    /** The method whose calls are stored. */
    public interface Sender {
        void send(String key, String payload);
    }

    private final HikariDataSource pool;
    private final Target target;
    private final TransactionManager transactions;
    private final ExecutorService threads;
    private final HttpClient client;
    private volatile CountDownLatch waiting = new CountDownLatch(0);

    private TransactionOutboxPeer(HikariDataSource pool, Target target, int connections) {
        this.pool = pool;
        this.target = target;
        this.transactions = TransactionManager.fromDataSource(pool);
        this.threads = Executors.newFixedThreadPool(connections);
        this.client = HttpClient.newHttpClient();
    }

    /** Creates a database for it, with one connection per sender. */
    static TransactionOutboxPeer open(PostgresServer server, Target target, int connections) throws SQLException {
        server.newDatabase("transaction_outbox");
        return new TransactionOutboxPeer(server.pool("transaction_outbox", connections), target, connections);
    }

    /** Stores entries that are not sent yet. */
    void fill(int entries) {
        TransactionOutbox outbox = outbox((entry, local) -> {});
        for (int from = 0; from < entries; from += BATCH) {
            int count = Math.min(BATCH, entries - from);
            transactions.inTransaction(() -> {
                for (int i = 0; i < count; i++) {
                    outbox.schedule(Sender.class).send(IdSchemes.UUID4.mint(), Target.PAYLOAD);
                }
            });
        }
        waiting = new CountDownLatch(entries);
    }

    /** Sends all entries, and returns when their responses have arrived. */
    void drain() throws InterruptedException {
        TransactionOutbox outbox = outbox(Submitter.withExecutor(threads));
        while (outbox.flush()) {
            // the next batch
        }
        waiting.await();
    }

    private TransactionOutbox outbox(Submitter submitter) {
        return TransactionOutbox.builder()
                .transactionManager(transactions)
                .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                .instantiator(Instantiator.using(type -> (Sender) this::send))
                .submitter(submitter)
                .build();
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
            waiting.countDown();
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
        pool.close();
    }
}
