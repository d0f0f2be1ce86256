package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.record.Records;
import dev.semel.store.Capability;
import dev.semel.store.Document;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whoever watches is told when something was committed in order, and then sees it. */
public interface WatchContract extends StoreFixture {

    /** Calls, all in one order. */
    Records CALLS = Records.of("calls", KeyTemplate.of("{call}")).inOrder();

    private void call(String key) {
        transactions().run(tx -> CALLS.create(tx, key, Json.of("1")));
    }

    /** Those behind a place. */
    private List<Document> callsBehind(long place) {
        return CALLS.oldest(store(), Map.of(), CALLS.behind(Map.of(), place), Records.LARGEST_PAGE)
                .items();
    }

    private static void awaitNews(Semaphore news) {
        try {
            assertThat(news.tryAcquire(1, TimeUnit.MINUTES))
                    .as("told of what was committed")
                    .isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    default void whoReadsWhenTold_missesNothing() throws Exception {
        needs(Capability.COMMIT, Capability.SCAN);
        int writers = 4;
        int each = 25;
        Semaphore news = new Semaphore(0);
        Runnable end = store().watch(news::release);
        ExecutorService threads = Executors.newFixedThreadPool(writers);
        List<String> seen = new ArrayList<>();
        try {
            for (int i = 0; i < writers; i++) {
                String writer = "call-" + i + "-";
                threads.execute(() -> IntStream.range(0, each).forEach(n -> call(writer + n)));
            }
            long place = 0;
            while (seen.size() < writers * each) {
                awaitNews(news);
                for (Document call : callsBehind(place)) {
                    seen.add(call.key());
                    place = call.place();
                }
            }
        } finally {
            threads.shutdown();
            end.run();
        }
        assertThat(seen)
                .isEqualTo(callsBehind(0).stream().map(Document::key).toList())
                .doesNotHaveDuplicates();
    }

    @Test
    default void allWhoWatch_areTold() {
        needs(Capability.COMMIT, Capability.SCAN);
        List<Semaphore> news = List.of(new Semaphore(0), new Semaphore(0));
        List<Runnable> ends =
                news.stream().map(watcher -> store().watch(watcher::release)).toList();
        for (int i = 0; i < 5; i++) {
            news.forEach(Semaphore::drainPermits);
            call("call-" + i);
            news.forEach(WatchContract::awaitNews);
        }
        ends.forEach(Runnable::run);
    }

    @Test
    default void whoDoesNotWatchAnyMore_isNotTold() {
        needs(Capability.COMMIT, Capability.SCAN);
        Semaphore former = new Semaphore(0);
        Semaphore other = new Semaphore(0);
        Runnable end = store().watch(former::release);
        end.run();
        Runnable endOfOther = store().watch(other::release);
        former.drainPermits();
        other.drainPermits();
        call("a");
        awaitNews(other);
        assertThat(former.availablePermits()).isZero();
        endOfOther.run();
    }
}
