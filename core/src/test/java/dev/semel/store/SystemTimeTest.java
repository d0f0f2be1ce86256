package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("jdk")
@Timeout(60)
class SystemTimeTest {

    private final Time time = Time.system();

    @Test
    void task_runsAfterItsDelay_onAnotherThread() throws Exception {
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        long begun = System.nanoTime();
        time.after(Duration.ofMillis(20), () -> ran.complete(Thread.currentThread()));
        assertThat(ran.get()).isNotSameAs(Thread.currentThread());
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
    }

    @Test
    void taskForWhichThereIsNoThread_runsWhenThereIsOne() throws Exception {
        AtomicBoolean threadless = new AtomicBoolean(true);
        Time scarce = new Time.SystemTime(task -> {
            if (threadless.getAndSet(false)) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            Threads.EXECUTOR.execute(task);
        });
        CompletableFuture<Void> ran = new CompletableFuture<>();
        scarce.after(Duration.ZERO, () -> ran.complete(null));
        ran.get();
        assertThat(threadless).isFalse();
    }

    @Test
    void cancelledTask_doesNotRun() throws Exception {
        AtomicBoolean ran;
        long begun;
        do {
            AtomicBoolean runs = new AtomicBoolean();
            begun = System.nanoTime();
            Runnable cancel = time.after(Duration.ofMillis(20), () -> runs.set(true));
            cancel.run();
            ran = runs;
        } while (System.nanoTime() - begun >= TimeUnit.MILLISECONDS.toNanos(20)); // too late, it may have begun
        CompletableFuture<Void> later = new CompletableFuture<>();
        time.after(Duration.ofMillis(60), () -> later.complete(null));
        later.get();
        assertThat(ran).isFalse();
    }

    @Test
    void waiting_endsWithTheEvent_howeverThatEnds() throws Exception {
        Duration tooLong = Duration.ofSeconds(Long.MAX_VALUE);
        CompletableFuture<Void> failing = new CompletableFuture<>();
        time.after(Duration.ofMillis(1), () -> failing.completeExceptionally(new IllegalStateException()));
        time.await(failing, tooLong);
        CompletableFuture<Void> cancelled = new CompletableFuture<>();
        time.after(Duration.ofMillis(1), () -> cancelled.cancel(true));
        time.await(cancelled, tooLong);
        time.await(CompletableFuture.completedFuture(1), tooLong);
    }

    @Test
    void waiting_endsWhenTheTimeIsOver() throws Exception {
        CompletableFuture<Void> never = new CompletableFuture<>();
        time.await(never, Duration.ofMillis(5));
        time.await(never, Duration.ZERO);
        time.await(never, Duration.ofDays(-1));
        time.sleep(Duration.ofMillis(1));
        assertThat(never).isNotDone();
    }

    @Test
    void clock_isTheSystems() {
        Instant before = Instant.now();
        assertThat(time.instant()).isBetween(before, before.plusSeconds(60));
    }
}
