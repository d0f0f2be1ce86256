package dev.semel.outbox;

import static dev.semel.outbox.OutboxFixture.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.outbox.Outbox.Page;
import dev.semel.outbox.Outbox.Query;
import dev.semel.outbox.OutboxEntry.Status;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Entries are listed by status and lane, in pages. */
interface ListingContract extends OutboxFixture {

    /** Adds 20 entries to two lanes. Of each lane, the first three are confirmed and the fourth has failed. */
    private void addMixed() {
        List<OutboxEntry> entries = addAll(20, i -> i % 2 == 0 ? "ann" : "bob");
        entries.subList(0, 6).forEach(this::confirm);
        entries.subList(6, 8).forEach(entry -> fail(entry, Reason.REJECTED));
    }

    private static List<String> numbers(int from, int to, int step) {
        List<String> numbers = new ArrayList<>();
        for (int i = from; i < to; i += step) {
            numbers.add("n" + i);
        }
        return numbers;
    }

    @Test
    default void listing_selectsByStatusAndLane_inTheOrderOfAdding() {
        addMixed();
        assertThat(operations(null, null)).isEqualTo(numbers(0, 20, 1));
        assertThat(operations(Status.CONFIRMED, null)).isEqualTo(numbers(0, 6, 1));
        assertThat(operations(Status.FAILED, null)).containsExactly("n6", "n7");
        assertThat(operations(Status.PENDING, null)).isEqualTo(numbers(8, 20, 1));
        assertThat(operations(null, "bob")).isEqualTo(numbers(1, 20, 2));
        assertThat(operations(Status.CONFIRMED, "ann")).isEqualTo(numbers(0, 6, 2));
        assertThat(operations(Status.FAILED, "ann")).containsExactly("n6");
        assertThat(operations(Status.FAILED, "bob")).containsExactly("n7");
        assertThat(operations(Status.PENDING, "bob")).isEqualTo(numbers(9, 20, 2));
        assertThat(operations(null, "x".repeat(10_000))).isEmpty();
    }

    @Test
    default void pagesOfAnySize_haveEachEntryOnce() {
        addMixed();
        for (int limit = 1; limit <= 21; limit += 4) {
            assertPages(null, null, limit, 20);
            assertPages(Status.PENDING, "ann", limit, 6);
            assertPages(Status.FAILED, "bob", limit, 1);
        }
    }

    private void assertPages(@Nullable Status status, @Nullable String lane, int limit, int expected) {
        assertThat(all(new Query(status, lane, "", limit)))
                .as("limit " + limit)
                .hasSize(expected)
                .doesNotHaveDuplicates();
    }

    @Test
    default void lastPage_hasNoNext() {
        addMixed();
        assertThat(outbox().list(new Query(null, null, "", 20)).next()).isEmpty();
        assertThat(outbox().list(new Query(Status.CONFIRMED, null, "", 6)).next())
                .isEmpty();
        assertThat(outbox().list(new Query(Status.FAILED, null, "", 2)).next()).isEmpty();
        assertThat(outbox().list(new Query(null, null, "", 19)).next()).matches("[A-Za-z0-9_-]+");
    }

    @Test
    default void entriesAddedMeanwhile_areOnLaterPages() {
        addMixed();
        Query query = new Query(Status.PENDING, null, "", 5);
        Page page = outbox().list(query);
        outbox().add(request("later", "bob"));
        assertThat(all(query.after(page)).stream().map(OutboxEntry::operation)).endsWith("n19", "later");
    }

    @Test
    default void failedEntries_areFoundWithoutReadingTheOthers() {
        addAll(50, i -> "bob");
        fail(outbox().add(request("failed", "ann")), Reason.REJECTED);
        store().takeReads();
        assertThat(operations(Status.FAILED, null)).containsExactly("failed");
        assertThat(store().takeReads()).isEqualTo(2);
    }

    @Test
    default void listingOfALane_readsNoOther() {
        addAll(50, i -> "ann");
        outbox().add(request("1", "bob"));
        store().takeReads();
        assertThat(operations(null, "bob")).containsExactly("1");
        assertThat(store().takeReads()).isEqualTo(1);
    }

    @Test
    default void largeEntries_endAPageEarly() {
        Payload large = Payload.of(new byte[Payload.MOST_BYTES]);
        Outbox outbox = outbox();
        for (int i = 0; i < 7; i++) {
            outbox.add(request("n" + i).body("application/octet-stream", large));
        }
        Page page = outbox.list(new Query(null, null, "", 1_000));
        assertThat(page.entries()).hasSizeBetween(1, 6);
        assertThat(operations(null, null)).isEqualTo(numbers(0, 7, 1));
    }

    @Test
    default void find_findsPendingFailedAndConfirmedEntries() {
        OutboxEntry entry = outbox().add(request("1"));
        OutboxEntry failed = fail(entry, Reason.REJECTED);
        assertThat(outbox().find(entry.id())).contains(failed);
        confirm(failed);
        assertThat(outbox().find(entry.id()).orElseThrow().status()).isEqualTo(Status.CONFIRMED);
        assertThat(outbox().find("0" + entry.id().substring(1, 12) + "zzzzzzzz"))
                .isEmpty();
        assertThat(outbox().find("no id")).isEmpty();
        assertThat(outbox().find("")).isEmpty();
    }

    @Test
    default void cursorOfAnotherQuery_isRejected() {
        addMixed();
        String confirmed = outbox().list(new Query(null, null, "", 1)).next();
        assertRejected(Status.PENDING, null, confirmed);
        assertRejected(null, "bob", confirmed);
        assertRejected(null, null, "x");
        assertRejected(null, null, confirmed.substring(1));
        assertRejected(null, null, confirmed + "1");
        assertRejected(null, null, "c");
        assertThat(new Query(null, "ann", confirmed, 1).after()).isEqualTo(confirmed);
    }

    private static void assertRejected(@Nullable Status status, @Nullable String lane, String after) {
        assertThatThrownBy(() -> new Query(status, lane, after, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ends at");
    }
}
