package dev.semel.server.migration;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Reads and plans the next batch of documents while the one before is written. */
final class BatchReader implements AutoCloseable {

    private static final int MOST_BYTES = 2 << 20;

    private final MigrationSource source;
    private final LinePlanner planner;
    private final int size;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread reader = new Thread(task, "semel-migration-reader");
        reader.setDaemon(true); // it may be waiting for standard input
        return reader;
    });
    private @Nullable SourceLine first;
    private Future<List<Planned>> next;

    /**
     * Starts to read.
     *
     * @param first a document that was already read from the source; null if there is none
     * @param size the most documents of a batch
     */
    BatchReader(MigrationSource source, LinePlanner planner, @Nullable SourceLine first, int size) {
        this.source = source;
        this.planner = planner;
        this.first = first;
        this.size = size;
        this.next = thread.submit(this::read);
    }

    /** Returns the next batch; it is empty after the last. */
    List<Planned> next() {
        List<Planned> batch = result(next);
        if (!batch.isEmpty()) {
            next = thread.submit(this::read);
        }
        return batch;
    }

    private static List<Planned> result(Future<List<Planned>> batch) {
        try {
            return batch.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            if (e.getCause() instanceof Error cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MigrationException("The migration was interrupted");
        }
    }

    private List<Planned> read() {
        List<Planned> batch = new ArrayList<>();
        long bytes = 0;
        while (batch.size() < size && bytes < MOST_BYTES) {
            SourceLine line = first != null ? first : source.next();
            first = null;
            if (line == null) {
                break;
            }
            bytes += line.bytes().length;
            batch.add(planner.plan(line));
        }
        return batch;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
