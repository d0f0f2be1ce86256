package dev.semel.document;

import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.store.Document;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Numbers from 1 on that a store counts, so that no two processes get the same.
 *
 * <p>{@linkplain #in(Transaction) In a transaction} there are no gaps: a number is used up only if the transaction is committed,
 * and those who draw at the same time wait for each other. {@linkplain #inBlocks In blocks} the store is asked once for many
 * numbers; those that a process has left when it ends are never used.
 *
 * <p>Which ids the numbers become, and when there are none left, is up to the scheme that draws them:
 * {@code IdSchemes.SEQ10.drawingFrom(sequence)}.
 */
public final class StoredSequence {

    private static final DocumentCollection SEQUENCES =
            DocumentCollection.of("semel.sequences", KeyTemplate.of("{name}"));

    private final String name;

    private StoredSequence(String name) {
        this.name = name;
    }

    /**
     * The sequence with a given name.
     *
     * @throws dev.semel.id.MalformedException if it is none: 1 to 255 of {@code A-Za-z0-9_-}
     */
    public static StoredSequence named(String name) {
        SEQUENCES.key().parse(name);
        return new StoredSequence(name);
    }

    /** Without gaps: each number is drawn in a transaction, and given back if that is not committed. */
    public LongSupplier in(Transaction tx) {
        return () -> draw(tx, 1);
    }

    /**
     * With gaps: so many numbers at a time are drawn in a transaction of their own. May be used by any number of threads.
     *
     * @throws IllegalArgumentException if the size is below 1
     */
    public LongSupplier inBlocks(Transactions transactions, int size) {
        if (size < 1) {
            throw new IllegalArgumentException("A block of " + size + " numbers");
        }
        return new Blocks(transactions, size);
    }

    /** Draws some numbers and returns the first. */
    private long draw(Transaction tx, int count) {
        Optional<Document> current = SEQUENCES.read(tx, name);
        long last =
                current.map(document -> Long.parseLong(document.data().text())).orElse(0L);
        if (last > Long.MAX_VALUE - count) {
            throw new IllegalStateException("The sequence " + name + " has no numbers left");
        }
        Json next = Json.of(Long.toString(last + count));
        if (current.isEmpty()) {
            SEQUENCES.create(tx, name, next);
        } else {
            SEQUENCES.update(tx, name, current.get().version(), next);
        }
        return last + 1;
    }

    private final class Blocks implements LongSupplier {

        private final Transactions transactions;
        private final int size;
        private final ReentrantLock lock = new ReentrantLock();
        private long next;
        private int left;

        Blocks(Transactions transactions, int size) {
            this.transactions = transactions;
            this.size = size;
        }

        @Override
        public long getAsLong() {
            lock.lock();
            try {
                if (left == 0) {
                    next = transactions.run(tx -> draw(tx, size));
                    left = size;
                }
                left--;
                return next++;
            } finally {
                lock.unlock();
            }
        }
    }
}
