package dev.semel.outbox;

import dev.semel.id.IdSchemes;
import java.time.InstantSource;

/** Generates the keys of outbox entries. */
public final class IdempotencyKeyGenerator {

    private IdempotencyKeyGenerator() {}

    /**
     * Returns a new idempotency key: a random UUID and the Unix time in milliseconds, joined by a hyphen. An entry keeps its key in every
     * attempt to send it.
     */
    public static String generate(InstantSource clock) {
        return IdSchemes.UUID4.mint() + "-" + clock.millis();
    }

    /** Returns a new client transaction id: a random UUID, by which the client recognizes events that it has caused itself. */
    public static String generateClientTxId() {
        return IdSchemes.UUID4.mint();
    }
}
