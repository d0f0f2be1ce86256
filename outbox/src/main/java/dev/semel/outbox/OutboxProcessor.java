package dev.semel.outbox;

import java.net.URI;
import java.time.Duration;

/** Sends the entries of an outbox. */
public final class OutboxProcessor implements AutoCloseable {

    private OutboxProcessor() {}

    /** Returns a builder of a processor that sends the entries of an outbox to an API. */
    public static Builder builder(Outbox outbox, URI api) {
        return new Builder();
    }

    /** Builds a processor. */
    public static final class Builder {
        public Builder token(TokenSupplier tokens) {
            return this;
        }

        public Builder parallel(int lanes) {
            return this;
        }

        public Builder timeout(Duration timeout) {
            return this;
        }

        public Builder proof(Proof proof) {
            return this;
        }

        public Builder listener(OutboxListener listener) {
            return this;
        }

        public Builder keyLife(Duration keyLife) {
            return this;
        }

        public Builder tombstoneLife(Duration tombstoneLife) {
            return this;
        }

        public Builder ifExpired(IfExpired ifExpired) {
            return this;
        }

        public Builder giveUpAfter(int attempts) {
            return this;
        }

        public Builder giveUpAfter(Duration age) {
            return this;
        }

        /** Starts to send. */
        public OutboxProcessor start() {
            throw new UnsupportedOperationException();
        }
    }

    /** Notifies the processor that the network is back. */
    public void networkAvailable() {}

    /** Waits until no entry is pending but those behind a failed one; at most for a given time. Returns false if the time is up. */
    public boolean awaitEmpty(Duration atMost) throws InterruptedException {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
