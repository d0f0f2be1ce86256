package dev.semel.outbox;

import static dev.semel.outbox.OutboxFixture.request;
import static dev.semel.outbox.OutboxFixture.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.outbox.OutboxEntry.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** What people decide about entries: retry, discard, purge. */
interface DecisionContract extends OutboxFixture {

    int MANY = EntryAdmin.PAGE + 10;

    @Test
    default void retriedEntry_isPendingAndDueNow_withTheSameKey() {
        OutboxEntry entry = outbox().add(request("1"));
        OutboxEntry failed = fail(entry, Reason.REJECTED);
        time().advance(Duration.ofHours(1));
        assertThat(outbox().retry(entry.id())).isTrue();
        OutboxEntry retried = outbox().find(entry.id()).orElseThrow();
        assertThat(retried.status()).isEqualTo(Status.PENDING);
        assertThat(retried.nextRetryAt()).isEqualTo(time().instant());
        assertThat(retried.retryCount()).isZero();
        assertThat(retried.idempotencyKey()).isEqualTo(entry.idempotencyKey());
        assertThat(retried.clientTxId()).isEqualTo(entry.clientTxId());
        assertThat(retried.firstSentAt()).isNotNull().isEqualTo(failed.firstSentAt());
        assertThat(retried.createdAt()).isEqualTo(entry.createdAt());
        assertThat(retried.payload()).isEqualTo(entry.payload());
        assertThat(retried.reason()).isNull();
        assertThat(retried.lastError()).isEqualTo("because of rejected");
        assertThat(retried.response()).isNull();
        assertThat(operations(Status.FAILED, null)).isEmpty();
        assertThat(operations(Status.PENDING, retried.lane())).containsExactly("1");
    }

    @Test
    default void retriedEntryWhoseKeyHadExpired_countsAsNeverSent() {
        OutboxEntry entry = outbox().add(request("1"));
        fail(entry, Reason.EXPIRED);
        assertThat(outbox().retry(entry.id())).isTrue();
        assertThat(outbox().find(entry.id()).orElseThrow().firstSentAt()).isNull();
    }

    @Test
    default void entryThatHasNotFailed_isNotRetried() {
        OutboxEntry pending = outbox().add(request("1"));
        OutboxEntry confirmed = outbox().add(request("2"));
        confirm(confirmed);
        OutboxEntry discarded = outbox().add(request("3"));
        outbox().discard(discarded.id());
        for (String id : List.of(pending.id(), confirmed.id(), discarded.id(), "no id", "")) {
            assertThat(outbox().retry(id)).isFalse();
        }
        assertThat(outbox().find(pending.id())).contains(pending);
        assertThat(outbox().find(discarded.id())).isEmpty();
    }

    @Test
    default void retriedEntryThatFailsAgain_isListedAgain() {
        OutboxEntry entry = outbox().add(request("1"));
        fail(entry, Reason.REJECTED);
        outbox().retry(entry.id());
        fail(entry, Reason.GAVE_UP);
        assertThat(operations(Status.FAILED, null)).containsExactly("1");
        assertThat(outbox().retry(entry.id())).isTrue();
        assertThat(outbox().retry(entry.id())).isFalse();
    }

    @Test
    default void retryAll_retriesTheFailedOnesOfAllPages() {
        List<OutboxEntry> entries = addAll(MANY + 2, i -> "lane" + i);
        entries.subList(1, MANY + 1).forEach(entry -> fail(entry, Reason.REJECTED));
        assertThat(outbox().retryAll()).isEqualTo(MANY);
        assertThat(operations(Status.FAILED, null)).isEmpty();
        assertThat(operations(Status.PENDING, null)).hasSize(MANY + 2);
        assertThat(outbox().retryAll()).isZero();
    }

    @Test
    default void retryAll_ofLargeEntries_isDoneInSmallTransactions() {
        Payload large = Payload.of(new byte[Payload.MOST_BYTES]);
        Outbox outbox = outbox();
        for (int i = 0; i < 7; i++) {
            fail(outbox.add(request("n" + i).body("application/octet-stream", large)), Reason.REJECTED);
        }
        assertThat(outbox.retryAll()).isEqualTo(7);
        assertThat(operations(Status.PENDING, null)).hasSize(7);
    }

    @Test
    default void discardedEntry_isGone_andItsLaneContinues() {
        OutboxEntry pending = outbox().add(request("1", "ann"));
        OutboxEntry failed = outbox().add(request("2", "ann"));
        outbox().add(request("3", "ann"));
        fail(failed, Reason.REJECTED);
        assertThat(outbox().discard(pending.id())).isTrue();
        assertThat(outbox().discard(failed.id())).isTrue();
        assertThat(operations(null, "ann")).containsExactly("3");
        assertThat(operations(Status.FAILED, null)).isEmpty();
        assertThat(store().read(mark(failed))).isEmpty();
        assertThat(outbox().discard(pending.id())).isFalse();
        assertThat(outbox().discard("no id")).isFalse();
        assertThat(update(pending)).isFalse();
        assertThat(outbox().find(pending.id())).isEmpty();
    }

    @Test
    default void confirmedEntry_cannotBeDiscarded() {
        OutboxEntry entry = outbox().add(request("1"));
        confirm(entry);
        assertThat(outbox().discard(entry.id())).isFalse();
        assertThat(outbox().find(entry.id())).isPresent();
    }

    @Test
    default void largeEntry_canBeDiscarded() {
        Payload large = Payload.of("\u0001".repeat(Payload.MOST_BYTES));
        OutboxEntry entry = outbox().add(request("1").body("text/plain", large));
        assertThat(outbox().find(entry.id()).orElseThrow().payload()).isEqualTo(large);
        assertThat(outbox().discard(entry.id())).isTrue();
        assertThat(operations(null, null)).isEmpty();
    }

    /** A processor lets an entry fail and retries it, again and again, while a person discards it. */
    @Test
    default void entryThatIsDiscardedWhileItIsChanged_isGone() throws Exception {
        int mostChanges = 20; // fewer than the retries of a transaction after write conflicts
        for (int i = 0; i < 5; i++) {
            OutboxEntry entry = outbox().add(request("1", "ann"));
            CompletableFuture<Void> first = new CompletableFuture<>();
            CompletableFuture<Integer> changes = CompletableFuture.supplyAsync(() -> {
                int count = 0;
                while (count < mostChanges
                        && update(with(
                                entry, count % 2 == 0 ? Status.FAILED : Status.PENDING, count, null, null, null))) {
                    count++;
                    first.complete(null);
                }
                return count;
            });
            CompletableFuture.anyOf(first, changes).get();
            assertThat(outbox().discard(entry.id())).isTrue();
            assertThat(finished(changes)).isPositive();
            assertThat(outbox().find(entry.id())).isEmpty();
            assertThat(store().read(mark(entry))).isEmpty();
        }
    }

    private static int finished(CompletableFuture<Integer> changes) throws InterruptedException {
        try {
            return changes.get();
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    default void purge_deletesTheConfirmedOnesOfAllPages_thatAreOldEnough() {
        Outbox outbox = outbox();
        List<OutboxEntry> entries = addAll(MANY, i -> "lane" + i % 10);
        Instant start = time().instant();
        // confirmed in another order than they were added
        for (int i = MANY - 1; i >= 0; i--) {
            confirm(entries.get(i));
            time().setClock(start.plusSeconds(MANY - i));
        }
        outbox.add(request("pending"));
        fail(outbox.add(request("failed")), Reason.REJECTED);
        assertThat(outbox.purge(Duration.ofSeconds(MANY + 1))).isZero();
        assertThat(outbox.purge(Duration.ofSeconds(31))).isEqualTo(MANY - 30);
        assertThat(operations(Status.CONFIRMED, null))
                .hasSize(30)
                .startsWith("n0")
                .endsWith("n29");
        assertThat(outbox.purge(Duration.ofDays(1_000_000))).isZero();
        assertThat(outbox.purge(Duration.ZERO)).isEqualTo(30);
        assertThat(operations(null, null)).containsExactly("pending", "failed");
        assertThatThrownBy(() -> outbox.purge(Duration.ofSeconds(-1))).isInstanceOf(IllegalArgumentException.class);
    }
}
