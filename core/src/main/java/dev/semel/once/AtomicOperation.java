package dev.semel.once;

import dev.semel.store.Response;
import dev.semel.store.Transaction;

/** An operation whose whole effect is what it writes in a transaction. */
@FunctionalInterface
public interface AtomicOperation {

    /**
     * Runs; again, on a new transaction, if others changed what it has read before it was committed.
     *
     * @return what is answered; a {@linkplain Response#asRefusal() refusal} throws away what was written
     * @throws Exception if it did not work: what was written is thrown away, and a retry runs it again
     */
    Response run(Transaction tx) throws Exception;
}
