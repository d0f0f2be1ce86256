package dev.semel.outbox;

import dev.semel.store.Time;
import dev.semel.store.spi.DocumentStore;
import java.security.SecureRandom;
import java.time.Duration;

/** Opens outboxes and processors with a given clock and timer. */
public final class OutboxOnClock {

    private OutboxOnClock() {}

    public static Outbox open(DocumentStore store, String name, Time time) {
        return Outbox.on(store, name, Duration.ofDays(400), time);
    }

    public static OutboxProcessor.Builder with(OutboxProcessor.Builder builder, Time time) {
        return builder.time(time, new SecureRandom());
    }
}
