package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.DocumentCollection;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.store.Document;
import dev.semel.store.spi.OrderedStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A watcher is notified of each new document in commit order and of commits that ask for it, and can then read what they wrote. */
@Needs(OrderedStore.class)
public interface WatchContract extends DocumentFixture {

    /** Calls in one commit order. */
    DocumentCollection CALLS =
            DocumentCollection.of("calls", KeyTemplate.of("{call}")).inCommitOrder();

    /** Documents without a commit order. */
    DocumentCollection NOTES = DocumentCollection.of("notes", KeyTemplate.of("{note}"));

    private void call(String key) {
        transactions().run(tx -> CALLS.create(tx, key, Json.of("1")));
    }

    /** Returns the calls after a commit sequence number. */
    private List<Document> callsAfter(long sequence) {
        return CALLS.oldest(
                        documents(), Map.of(), CALLS.cursorAfter(Map.of(), sequence), DocumentCollection.LARGEST_PAGE)
                .items();
    }

    private static void awaitNotification(Semaphore notified) {
        try {
            assertThat(notified.tryAcquire(1, TimeUnit.MINUTES))
                    .as("a notification")
                    .isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    default void readerThatReadsWhenNotified_missesNothing() throws Exception {
        int writers = 4;
        int each = 25;
        Semaphore notified = new Semaphore(0);
        Runnable end = ((OrderedStore) store()).watch(notified::release);
        ExecutorService threads = Executors.newFixedThreadPool(writers);
        List<String> seen = new ArrayList<>();
        try {
            for (int i = 0; i < writers; i++) {
                String writer = "call-" + i + "-";
                threads.execute(() -> IntStream.range(0, each).forEach(n -> call(writer + n)));
            }
            long last = 0;
            while (seen.size() < writers * each) {
                awaitNotification(notified);
                for (Document call : callsAfter(last)) {
                    seen.add(call.key());
                    last = call.sequence();
                }
            }
        } finally {
            threads.shutdown();
            end.run();
        }
        assertThat(seen)
                .isEqualTo(callsAfter(0).stream().map(Document::key).toList())
                .doesNotHaveDuplicates();
    }

    @Test
    default void allWatchers_areNotified() {
        List<Semaphore> notified = List.of(new Semaphore(0), new Semaphore(0));
        List<Runnable> ends = notified.stream()
                .map(watcher -> ((OrderedStore) store()).watch(watcher::release))
                .toList();
        for (int i = 0; i < 5; i++) {
            notified.forEach(Semaphore::drainPermits);
            call("call-" + i);
            notified.forEach(WatchContract::awaitNotification);
        }
        ends.forEach(Runnable::run);
    }

    @Test
    default void transactionThatNotifiesWatchers_isNotified_andItsWritesCanBeRead() {
        Semaphore notified = new Semaphore(0);
        Runnable end = ((OrderedStore) store()).watch(notified::release);
        for (int i = 0; i < 5; i++) {
            String key = "note-" + i;
            notified.drainPermits();
            transactions().run(tx -> {
                tx.notifyWatchers();
                return NOTES.create(tx, key, Json.of("1"));
            });
            awaitNotification(notified);
            assertThat(NOTES.read(documents(), key)).isPresent();
        }
        end.run();
    }

    @Test
    default void transactionThatNotifiesWatchersButWritesNothing_isNotNotified() {
        Semaphore notified = new Semaphore(0);
        Runnable end = ((OrderedStore) store()).watch(notified::release);
        call("first");
        awaitNotification(notified);
        notified.drainPermits();
        transactions().run(tx -> {
            tx.notifyWatchers();
            return NOTES.read(tx, "note");
        });
        call("second");
        awaitNotification(notified);
        assertThat(notified.availablePermits()).isZero();
        end.run();
    }

    @Test
    default void endedWatch_isNotNotified() {
        Semaphore former = new Semaphore(0);
        Semaphore other = new Semaphore(0);
        Runnable end = ((OrderedStore) store()).watch(former::release);
        end.run();
        Runnable endOfOther = ((OrderedStore) store()).watch(other::release);
        former.drainPermits();
        other.drainPermits();
        call("a");
        awaitNotification(other);
        assertThat(former.availablePermits()).isZero();
        endOfOther.run();
    }
}
