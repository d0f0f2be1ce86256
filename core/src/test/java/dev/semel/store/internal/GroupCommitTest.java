package dev.semel.store.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("jdk")
class GroupCommitTest {

    private static final int CALLERS = 8;

    private final List<String> written = new ArrayList<>();

    private void write(List<String> group) {
        if (group.contains("bad")) {
            throw new OutOfMemoryError("no room for a group");
        }
        written.addAll(group);
    }

    @Test
    void groupThatEndsWithAnError_failsAll_andTheNextIsWritten() {
        GroupCommit<String> writer = new GroupCommit<>(this::write, text -> 1, 63);
        assertThatThrownBy(() -> writer.write("bad"))
                .isInstanceOf(StoreException.class)
                .hasMessage("no room for a group");
        writer.write("good");
        assertThat(written).containsExactly("good");
    }

    @Test
    void callerThatIsInterrupted_doesNotInterruptWhatItDoesForOthers() {
        GroupCommit<String> writer = new GroupCommit<>(
                group -> {
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                    write(group);
                },
                text -> 1,
                63);
        Thread.currentThread().interrupt();
        writer.write("good");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(written).containsExactly("good");
    }

    @Test
    void allWhoShareAGroupThatFails_fail_andNobodyWaitsForEver() throws Exception {
        CountDownLatch all = new CountDownLatch(CALLERS);
        GroupCommit<String> writer = new GroupCommit<>(
                group -> {
                    await(all);
                    write(group);
                },
                text -> 1,
                63);
        ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
        try {
            List<Future<?>> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                callers.add(threads.submit(() -> {
                    all.countDown();
                    writer.write("bad");
                }));
            }
            for (Future<?> caller : callers) {
                assertThatThrownBy(() -> caller.get(60, TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(StoreException.class);
            }
            writer.write("good");
            assertThat(written).containsExactly("good");
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void whoIsInNoHurry_goesAtOnceIfNobodyWrites() {
        GroupCommit<String> writer = new GroupCommit<>(this::write, text -> 1, 63);
        assertThat(writer.writeDeferred("first")).isZero();
        assertThat(writer.writeDeferred("second")).isZero(); // the previous write was deferred, so no group is expected
        assertThat(written).containsExactly("first", "second");
        assertThatThrownBy(() -> writer.writeDeferred("bad")).isInstanceOf(StoreException.class);
    }

    @Test
    void whoIsInNoHurry_goesWithTheNextIfOneComesSoon() throws Exception {
        List<List<String>> groups = Collections.synchronizedList(new ArrayList<>());
        GroupCommit<String> writer = new GroupCommit<>(groups::add, text -> 1, 63, TimeUnit.MINUTES.toNanos(10));
        writer.writeDeferred("first"); // no urgent write lately
        writer.writeDeferred("second"); // a deferred write does not count as urgent
        assertThat(writer.expected()).isZero();
        writer.write("hurried");
        assertThat(writer.expected()).isOne();
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Future<Duration>> unhurried = List.of(
                    threads.submit(() -> writer.writeDeferred("third")),
                    threads.submit(() -> writer.writeDeferred("fourth")));
            long begun = System.nanoTime();
            while (!unhurried.stream().allMatch(Future::isDone)
                    && System.nanoTime() - begun < TimeUnit.MINUTES.toNanos(1)) {
                writer.write("hurried");
            }
            for (Future<Duration> each : unhurried) {
                assertThat(each.get(60, TimeUnit.SECONDS)).isPositive();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(groups.subList(0, 2)).containsExactly(List.of("first"), List.of("second"));
        assertThat(groups.subList(2, groups.size()))
                .allSatisfy(group -> assertThat(group).startsWith("hurried"));
        assertThat(groups.stream().flatMap(List::stream)).contains("third", "fourth");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
