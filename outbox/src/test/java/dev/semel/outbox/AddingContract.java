package dev.semel.outbox;

import static dev.semel.outbox.OutboxFixture.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.document.DocumentCollection;
import dev.semel.document.Transactions;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.outbox.OutboxEntry.Status;
import dev.semel.store.Time;
import dev.semel.testkit.ControlledTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Entries are added once, in the order of their lane, and only with the transaction that adds them. */
interface AddingContract extends OutboxFixture {

    DocumentCollection PAYMENTS = DocumentCollection.of("payments", KeyTemplate.of("{payment:word}"));

    private Transactions transactions() {
        return new Transactions(store(), Time.system());
    }

    @Test
    default void addedEntry_isFoundAsItWasReturned() {
        OutboxEntry added = outbox().add(request("create_post", "ann"));
        assertThat(outbox().find(added.id())).contains(added);
        assertThat(added.status()).isEqualTo(Status.PENDING);
        assertThat(added.operation()).isEqualTo("create_post");
        assertThat(added.lane()).isEqualTo("ann");
        assertThat(added.payload().text()).isEqualTo("{\"text\":\"hello\"}");
        assertThat(added.createdAt()).isEqualTo(time().instant()).isEqualTo(added.nextRetryAt());
        assertThat(added.idempotencyKey()).endsWith("-" + time().millis());
        assertThat(added.firstSentAt()).isNull();
        assertThat(added.retryCount()).isZero();
    }

    @Test
    default void entriesOfALane_areInTheOrderOfAdding_atOneMomentAndWhenTheClockIsSetBack() {
        Outbox first = outbox();
        first.add(request("1", "ann"));
        first.add(request("2", "ann"));
        time().setClock(time().instant().minus(Duration.ofHours(1)));
        first.add(request("3", "ann"));
        outbox().add(request("4", "ann"));
        outbox().add(request("5", "ann"));
        first.add(request("6", "ann"));
        time().setClock(time().instant().plus(Duration.ofHours(2)));
        first.add(request("7", "ann"));
        assertThat(operations(null, "ann")).containsExactly("1", "2", "3", "4", "5", "6", "7");
    }

    @Test
    default void processesWhoseClocksDiffer_addInOrder() {
        ControlledTime ahead = new ControlledTime();
        ahead.setClock(time().instant().plusSeconds(3));
        Outbox early = Outbox.on(new CountingStore(store().inner(), ahead), name(), KEEP, Time.system());
        List<String> expected = new ArrayList<>();
        Outbox late = outbox();
        for (int i = 0; i < 10; i++) {
            (i % 2 == 0 ? early : late).add(request("n" + i, "ann"));
            expected.add("n" + i);
        }
        assertThat(operations(null, "ann")).containsExactlyElementsOf(expected);
    }

    @Test
    default void addToALongLane_readsNothingOfIt() {
        addAll(20, i -> "ann");
        store().takeReads();
        time().advance(Duration.ofMillis(1));
        outbox().add(request("next", "ann"));
        assertThat(store().takeReads()).isZero();
    }

    @Test
    default void threadsThatAddToOneLane_eachKeepTheirOrder() throws Exception {
        addFromThreads(thread -> "ann");
        assertEachInOrder(operations(null, "ann"));
    }

    @Test
    default void threadsThatAddToManyLanes_eachKeepTheirOrder() throws Exception {
        addFromThreads(thread -> "lane" + thread % 4);
        List<String> all = new ArrayList<>();
        for (int lane = 0; lane < 4; lane++) {
            all.addAll(operations(null, "lane" + lane));
        }
        assertEachInOrder(all);
    }

    int THREADS = 8;
    int EACH = 25;

    /** Names the lane of each thread. */
    interface Lanes {
        String of(int thread);
    }

    /** Adds from several threads to two objects on one outbox, while the clock goes back and forth. */
    private void addFromThreads(Lanes lanes) throws Exception {
        List<Outbox> outboxes = List.of(outbox(), outbox());
        Map<String, String> ids = new ConcurrentHashMap<>();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int thread = i;
                running.add(threads.submit(() -> {
                    for (int j = 0; j < EACH; j++) {
                        if (thread == 0) {
                            time().setClock(time().instant().plusSeconds(j % 2 == 0 ? -10 : 10));
                        }
                        OutboxEntry added = outboxes.get(j % 2).add(request(thread + "-" + j, lanes.of(thread)));
                        assertThat(ids.put(added.id(), added.operation())).isNull();
                    }
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(ids).hasSize(THREADS * EACH);
    }

    private static void assertEachInOrder(List<String> operations) {
        assertThat(operations).hasSize(THREADS * EACH);
        for (int i = 0; i < THREADS; i++) {
            String prefix = i + "-";
            List<String> expected = new ArrayList<>();
            for (int j = 0; j < EACH; j++) {
                expected.add(prefix + j);
            }
            assertThat(operations.stream().filter(each -> each.startsWith(prefix)))
                    .containsExactlyElementsOf(expected);
        }
    }

    @Test
    default void entryAddedInATransaction_isCommittedWithTheCallersDocuments() {
        String payment = name();
        List<OutboxEntry> added = transactions().run(tx -> {
            PAYMENTS.create(tx, payment, Json.of("1"));
            return List.of(outbox().add(tx, request("first")), outbox().add(tx, request("second")));
        });
        assertThat(PAYMENTS.read(store(), payment)).isPresent();
        assertThat(all(null, null)).isEqualTo(added);
    }

    @Test
    default void entryAddedInATransactionThatFails_isNotThere() {
        String payment = name();
        assertThatThrownBy(() -> transactions().run(tx -> {
                    PAYMENTS.create(tx, payment, Json.of("1"));
                    outbox().add(tx, request("first"));
                    throw new IllegalStateException("refused");
                }))
                .hasMessage("refused");
        assertThat(PAYMENTS.read(store(), payment)).isEmpty();
        assertThat(all(null, null)).isEmpty();
    }

    @Test
    default void entryAddedInATransactionThatRunsAgain_isThereOnce() {
        String payment = name();
        transactions().run(tx -> PAYMENTS.create(tx, payment, Json.of("0")));
        int[] runs = {0};
        transactions().run(tx -> {
            PAYMENTS.read(tx, payment);
            if (runs[0]++ == 0) {
                transactions().run(other -> PAYMENTS.update(other, payment, 1, Json.of("1")));
            }
            return outbox().add(tx, request("once"));
        });
        assertThat(runs[0]).isEqualTo(2);
        assertThat(operations(null, null)).containsExactly("once");
    }

    @Test
    default void outboxesInOneStore_areSeparate() {
        Outbox other = Outbox.on(store(), name() + "_b", KEEP, Time.system());
        OutboxEntry here = outbox().add(request("here"));
        time().advance(Duration.ofMillis(1)); // ids are unique within an outbox
        OutboxEntry there = other.add(request("there"));
        assertThat(operations(null, null)).containsExactly("here");
        assertThat(outbox().find(there.id())).isEmpty();
        assertThat(other.discard(here.id())).isFalse();
    }

    @Test
    default void changeThatLetsALaneContinue_notifiesWatchersInAllProcesses() {
        store().takeNotifications();
        OutboxEntry entry = outbox().add(request("added"));
        // in a store of one process, the hooks are enough
        assertThat(store().takeNotifications()).isEqualTo(store().isExclusive() ? 0 : 1);
        assertNotifies(() -> transactions().run(tx -> outbox().add(tx, request("in a transaction"))));
        fail(entry, Reason.REJECTED);
        assertNotifies(() -> outbox().retry(entry.id()));
        fail(entry, Reason.REJECTED);
        assertNotifies(() -> outbox().retryAll());
        assertNotifies(() -> outbox().discard(entry.id()));
    }

    private <T> T assertNotifies(Supplier<T> change) {
        store().takeNotifications();
        T changed = change.get();
        assertThat(store().takeNotifications()).isEqualTo(1);
        return changed;
    }

    @Test
    default void watchers_areNotifiedOfAnAddedEntry() throws Exception {
        Semaphore news = new Semaphore(0);
        Runnable end = store().watch(news::release);
        try {
            transactions().run(tx -> outbox().add(tx, request("1")));
            assertThat(news.tryAcquire(1, TimeUnit.MINUTES)).isTrue();
        } finally {
            end.run();
        }
    }

    @Test
    default void hooks_areCalledWithTheLane() {
        Outbox outbox = outbox();
        List<String> lanes = new CopyOnWriteArrayList<>();
        Runnable end = outbox.entries().hooks().add(lanes::add);
        OutboxEntry ann = outbox.add(request("1", "ann"));
        OutboxEntry bob = outbox.add(request("2", "bob"));
        fail(ann, Reason.REJECTED);
        outbox.retry(ann.id());
        fail(bob, Reason.REJECTED);
        outbox.retryAll();
        outbox.discard(bob.id());
        outbox.discard(bob.id());
        assertThat(lanes)
                .containsExactly(
                        EntryId.digest("ann"),
                        EntryId.digest("bob"),
                        EntryId.digest("ann"),
                        EntryId.digest("bob"),
                        EntryId.digest("bob"));
        end.run();
        outbox.add(request("3", "ann"));
        assertThat(lanes).hasSize(5);
    }
}
