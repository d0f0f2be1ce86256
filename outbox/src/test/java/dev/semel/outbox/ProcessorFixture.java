package dev.semel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.memory.MemoryStore;
import dev.semel.outbox.OutboxEntry.Status;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.Eventually;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** A processor on a memory store with a controlled clock, and an API on a socket. */
abstract class ProcessorFixture {

    final ControlledTime time = new ControlledTime();
    final MemoryStore store = new MemoryStore(time, 64 << 20);
    final Outbox outbox = Outbox.on(store, "outbox", Duration.ofDays(7), time);
    final TestApi api = new TestApi();
    final List<String> events = new CopyOnWriteArrayList<>();
    private @Nullable OutboxProcessor processor;

    private final OutboxListener recorder = new OutboxListener() {
        @Override
        public void confirmed(OutboxEntry entry, Duration took) {
            events.add("confirmed " + entry.operation());
        }

        @Override
        public void retry(OutboxEntry entry, Reason reason) {
            events.add("retry " + entry.operation() + " " + reason);
        }

        @Override
        public void failed(OutboxEntry entry, Reason reason) {
            events.add("failed " + entry.operation() + " " + reason);
        }
    };

    @AfterEach
    void close() {
        api.respond();
        stop();
        api.close();
    }

    OutboxProcessor start() {
        return start(builder -> {});
    }

    OutboxProcessor start(Consumer<OutboxProcessor.Builder> settings) {
        stop();
        OutboxProcessor.Builder builder =
                OutboxProcessor.builder(outbox, api.uri()).listener(recorder).time(time, new SplittableRandom(1));
        settings.accept(builder);
        OutboxProcessor started = builder.start();
        processor = started;
        return started;
    }

    /** Waits until there is nothing to send, and advances the clock meanwhile. */
    boolean drain(OutboxProcessor started) {
        CompletableFuture<Boolean> empty = CompletableFuture.supplyAsync(() -> {
            try {
                return started.awaitEmpty(Duration.ofDays(1000));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        Eventually.assertHolds(() -> {
            time.advance(Duration.ofMillis(20));
            assertThat(empty).isDone();
        });
        return empty.join();
    }

    void stop() {
        if (processor != null) {
            processor.close();
            processor = null;
        }
    }

    /** Adds an entry whose operation is its name. */
    OutboxEntry add(String name, String lane) {
        return outbox.add(
                OutboxRequest.post("/posts").operation(name).lane(lane).json("{\"text\":\"" + name + "\"}"));
    }

    OutboxEntry now(OutboxEntry entry) {
        return outbox.find(entry.id()).orElseThrow();
    }

    void awaitStatus(OutboxEntry entry, Status status) {
        Eventually.assertHolds(() -> assertThat(now(entry).status()).isEqualTo(status));
    }

    void awaitEvents(String... expected) {
        Eventually.assertHolds(() -> assertThat(events).containsExactly(expected));
    }

    /** Waits until an entry waits to be sent again after so many attempts. */
    void awaitRetry(OutboxEntry entry, int retries) {
        Eventually.assertHolds(() -> assertThat(now(entry).retryCount()).isEqualTo(retries));
    }

    /** Waits until the processor has nothing to do before its only lane is due. */
    void awaitWaiting() {
        Eventually.assertHolds(() -> assertThat(processor)
                .extracting(OutboxProcessor::lanes)
                .hasToString("Lanes[ready 0, active 0, waiting 1]"));
    }

    /** Advances the clock step by step until an entry has a status, and returns how long that took. */
    Duration advanceUntil(OutboxEntry entry, Status status, Duration step) {
        Instant start = time.instant();
        Eventually.assertHolds(() -> {
            if (now(entry).status() != status) {
                time.advance(step);
            }
            assertThat(now(entry).status()).isEqualTo(status);
        });
        return Duration.between(start, time.instant());
    }
}
