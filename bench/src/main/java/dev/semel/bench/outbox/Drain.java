package dev.semel.bench.outbox;

import dev.semel.bench.Callers;
import dev.semel.outbox.Outbox;
import dev.semel.outbox.OutboxEntry;
import dev.semel.outbox.OutboxListener;
import dev.semel.outbox.OutboxProcessor;
import dev.semel.outbox.Reason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Fills an outbox, and then measures how fast its entries are sent and confirmed. */
final class Drain {

    /** A contender that does not end within this time has failed. */
    static final Duration TIMEOUT = Duration.ofMinutes(10);

    private static final int FILLERS = 32;

    private final Outbox outbox;
    private final Target target;
    private final int connections;

    Drain(Outbox outbox, Target target, int connections) {
        this.outbox = outbox;
        this.target = target;
        this.connections = connections;
    }

    void fill(int entries, int lanes) {
        Callers.forEach(FILLERS, 0, entries, number -> outbox.add(Target.request("lane-" + number % lanes)));
    }

    /** Sends all entries, and returns how many per second. */
    double run(int entries) throws InterruptedException {
        Confirmations confirmations = new Confirmations(entries);
        long startedAt = System.nanoTime();
        OutboxProcessor processor = OutboxProcessor.builder(outbox, target.api())
                .token(rejected -> target.token())
                .parallel(connections)
                .listener(confirmations)
                .start();
        try {
            confirmations.all.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            return entries * 1e9 / (System.nanoTime() - startedAt);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("Not all entries were confirmed: " + e.getMessage(), e);
        } finally {
            processor.close();
        }
    }

    /** Counts confirmed entries. */
    private static final class Confirmations implements OutboxListener {

        private final CompletableFuture<@Nullable Void> all = new CompletableFuture<>();
        private final AtomicInteger waiting;

        Confirmations(int entries) {
            this.waiting = new AtomicInteger(entries);
        }

        @Override
        public void confirmed(OutboxEntry entry, Duration time) {
            if (waiting.decrementAndGet() == 0) {
                all.complete(null);
            }
        }

        @Override
        public void retry(OutboxEntry entry, Reason reason) {
            fail(entry);
        }

        @Override
        public void failed(OutboxEntry entry, Reason reason) {
            fail(entry);
        }

        private void fail(OutboxEntry entry) {
            all.completeExceptionally(new IllegalStateException(entry.lastError()));
        }
    }
}
