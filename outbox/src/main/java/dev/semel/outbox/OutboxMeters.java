package dev.semel.outbox;

import dev.semel.store.StoreException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Micrometer meters of an outbox. Add it to the processor as a listener, and bind it to a registry:
 *
 * <ul>
 *   <li>{@code semel.outbox.entries} with {@code status} {@code pending} or {@code failed}: how many entries wait, as {@link Backlog} counts
 *       them;
 *   <li>{@code semel.outbox.oldest}: the age of the oldest entry;
 *   <li>{@code semel.outbox.sends}: how long attempts took that were confirmed;
 *   <li>{@code semel.outbox.retries} and {@code semel.outbox.failures} with {@code reason}: attempts that were not confirmed.
 * </ul>
 *
 * <p>Each has the name of the outbox as {@code outbox}. The first two read the store, at most every ten seconds.
 */
public final class OutboxMeters implements MeterBinder, OutboxListener {

    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final Backlog NONE = new Backlog(0, 0, null);

    private final Outbox outbox;
    private final String name;
    private final List<MeterRegistry> registries = new CopyOnWriteArrayList<>();
    private Backlog backlog = NONE; // guarded by this, as is the next
    private @Nullable Long readAt;

    /** Creates the meters of an outbox. */
    public OutboxMeters(Outbox outbox) {
        this.outbox = outbox;
        this.name = outbox.entries().name();
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        registries.add(registry);
        gauge(registry, OutboxEntry.Status.PENDING);
        gauge(registry, OutboxEntry.Status.FAILED);
        TimeGauge.builder("semel.outbox.oldest", this, TimeUnit.SECONDS, OutboxMeters::oldestSeconds)
                .description("Age of the oldest entry that is pending or has failed")
                .tag("outbox", name)
                .register(registry);
        timer(registry);
    }

    private void gauge(MeterRegistry registry, OutboxEntry.Status status) {
        boolean isFailed = status == OutboxEntry.Status.FAILED;
        Gauge.builder("semel.outbox.entries", this, self -> {
                    Backlog now = self.backlog();
                    return isFailed ? now.failed() : now.pending();
                })
                .description("Entries that wait to be sent or have failed")
                .tag("outbox", name)
                .tag("status", status.toString())
                .register(registry);
    }

    private Timer timer(MeterRegistry registry) {
        return Timer.builder("semel.outbox.sends")
                .description("Attempts that were confirmed")
                .tag("outbox", name)
                .publishPercentileHistogram()
                .register(registry);
    }

    private double oldestSeconds() {
        Instant oldest = backlog().oldest();
        Instant now = outbox.entries().store().clock().instant();
        return oldest == null ? 0 : Math.max(0, Duration.between(oldest, now).toMillis() / 1000.0);
    }

    private synchronized Backlog backlog() {
        long now = System.nanoTime();
        if (readAt == null || now - readAt > FRESH_NANOS) {
            try {
                backlog = outbox.backlog();
            } catch (StoreException e) {
                // the figures of the last time are better than none
            }
            readAt = System.nanoTime();
        }
        return backlog;
    }

    @Override
    public void confirmed(OutboxEntry entry, Duration time) {
        registries.forEach(registry -> timer(registry).record(time));
    }

    @Override
    public void retry(OutboxEntry entry, Reason reason) {
        count("semel.outbox.retries", "Attempts after which the entry is sent again", reason);
    }

    @Override
    public void failed(OutboxEntry entry, Reason reason) {
        count("semel.outbox.failures", "Entries that have failed", reason);
    }

    private void count(String meter, String description, Reason reason) {
        for (MeterRegistry registry : registries) {
            Counter.builder(meter)
                    .description(description)
                    .tag("outbox", name)
                    .tag("reason", reason.toString())
                    .register(registry)
                    .increment();
        }
    }
}
