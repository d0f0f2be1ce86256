package dev.semel.once;

import dev.semel.store.Response;

/** An operation whose effect is elsewhere: a call to another system, a file, a message. */
@FunctionalInterface
public interface LeasedOperation {

    /**
     * Runs, as long as it needs.
     *
     * @param lease proof that this run is the one; its fence may be handed to the other system
     * @return what is answered
     * @throws UnknownOutcomeException if it cannot tell whether it worked
     * @throws Exception if it did not work, and a retry may run it again
     */
    Response run(Lease lease) throws Exception;
}
