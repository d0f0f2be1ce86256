package dev.semel.document;

import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.store.Document;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * A sequence of numbers from 1, counted in a store. Each number is used once, by any number of processes.
 *
 * <p>{@linkplain #in(Transaction) In a transaction}, the sequence has no gaps: a number counts as used only if the transaction is committed.
 * Concurrent transactions conflict and retry. {@linkplain #inBlocks In blocks} (hi/lo allocation), a process reserves many numbers with one
 * commit. The numbers that are left when the process ends are never used.
 *
 * <p>An id scheme turns the numbers into ids: {@code IdSchemes.SEQ10.drawingFrom(sequence)}.
 */
public final class StoredSequence {

    private static final DocumentCollection SEQUENCES =
            DocumentCollection.of("semel.sequences", KeyTemplate.of("{name}"));

    private final String name;

    private StoredSequence(String name) {
        this.name = name;
    }

    /**
     * Returns the sequence with a given name.
     *
     * @param name 1 to 255 of {@code A-Za-z0-9_-}
     * @throws dev.semel.id.MalformedException if the name is malformed
     */
    public static StoredSequence named(String name) {
        SEQUENCES.key().parse(name);
        return new StoredSequence(name);
    }

    /** Returns a supplier without gaps. Its numbers are used if the transaction is committed, and returned otherwise. */
    public LongSupplier in(Transaction tx) {
        return () -> draw(tx, 1);
    }

    /**
     * Returns a supplier that reserves blocks of numbers, each in a separate transaction. The supplier is thread-safe.
     *
     * @param size how many numbers to reserve at a time
     * @throws IllegalArgumentException if the size is below 1
     */
    public LongSupplier inBlocks(Transactions transactions, int size) {
        if (size < 1) {
            throw new IllegalArgumentException("The size of a block must be at least 1, not " + size);
        }
        return new Blocks(transactions, size);
    }

    /** Takes some numbers and returns the first. */
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
