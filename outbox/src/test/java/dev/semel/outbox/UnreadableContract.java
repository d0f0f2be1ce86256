package dev.semel.outbox;

import static dev.semel.outbox.OutboxFixture.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.semel.outbox.EntryStore.Queued;
import dev.semel.outbox.OutboxEntry.Status;
import dev.semel.store.StoreException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Entries that are damaged, or were written by a newer version, are shown as failed and never overwritten. */
interface UnreadableContract extends OutboxFixture {

    String NEWER = "{\"format\":2,\"status\":\"paused\",\"payload\":{\"parts\":[1,2]}}";
    String DAMAGED = "{\"format\":1,\"status\":\"pending\"}";

    @Test
    default void entryOfANewerFormat_isShownAsFailed_withTheReason() {
        OutboxEntry entry = outbox().add(request("1", "ann"));
        outbox().add(request("2", "ann"));
        overwrite(entry, NEWER);
        OutboxEntry shown = outbox().find(entry.id()).orElseThrow();
        assertThat(shown.status()).isEqualTo(Status.FAILED);
        assertThat(shown.lastError()).contains("format 2", "format 1");
        assertThat(all(null, "ann")).extracting(OutboxEntry::status).containsExactly(Status.FAILED, Status.PENDING);
        assertThat(outbox().entries().lane(EntryId.digest("ann"), "", 1))
                .extracting(Queued::entry)
                .containsExactly(shown);
    }

    @Test
    default void damagedEntry_isShownAsFailed_withTheReason() {
        for (String damaged : List.of(DAMAGED, "{}", "[]", "1", "{\"format\":\"x\"}")) {
            OutboxEntry entry = outbox().add(request("1"));
            overwrite(entry, damaged);
            OutboxEntry shown = outbox().find(entry.id()).orElseThrow();
            assertThat(shown.status()).isEqualTo(Status.FAILED);
            assertThat(shown.lastError()).contains("damaged", entry.id());
        }
    }

    @Test
    default void unreadableEntry_isNeverOverwritten() {
        OutboxEntry entry = outbox().add(request("1"));
        overwrite(entry, NEWER);
        assertThatThrownBy(() -> outbox().retry(entry.id()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("format 2");
        new EntryAdmin(outbox().entries()).markUnreadable(entry.id());
        assertThat(outbox().retryAll()).isZero();
        assertThat(catchThrowable(() -> update(entry))).isInstanceOf(StoreException.class);
        assertThat(store().read(queued(entry)).orElseThrow().data().text()).isEqualTo(NEWER);
    }

    @Test
    default void unreadableEntryThatIsMarked_isListedAmongTheFailed() {
        OutboxEntry entry = outbox().add(request("1", "ann"));
        OutboxEntry readable = outbox().add(request("2", "ann"));
        EntryAdmin admin = new EntryAdmin(outbox().entries());
        overwrite(entry, DAMAGED);
        assertThat(admin.markUnreadable(entry.id())).isTrue();
        assertThat(admin.markUnreadable(entry.id())).isFalse();
        assertThat(admin.markUnreadable(readable.id())).isFalse();
        assertThat(all(Status.FAILED, "ann")).extracting(OutboxEntry::id).containsExactly(entry.id());
    }

    @Test
    default void unreadableEntry_canBeDiscarded() {
        OutboxEntry marked = outbox().add(request("1"));
        OutboxEntry unmarked = outbox().add(request("2"));
        overwrite(marked, NEWER);
        overwrite(unmarked, DAMAGED);
        new EntryAdmin(outbox().entries()).markUnreadable(marked.id());
        assertThat(outbox().discard(marked.id())).isTrue();
        assertThat(outbox().discard(unmarked.id())).isTrue();
        assertThat(operations(null, null)).isEmpty();
        assertThat(operations(Status.FAILED, null)).isEmpty();
    }

    @Test
    default void markWithoutAnEntry_isIgnored_andDeletedByRetryAll() {
        OutboxEntry entry = outbox().add(request("1"));
        overwrite(entry, NEWER);
        new EntryAdmin(outbox().entries()).markUnreadable(entry.id());
        overwrite(entry, EntryCodec.encode(entry).text()); // the newer version has sent it
        confirm(entry);
        assertThat(operations(Status.FAILED, null)).isEmpty();
        assertThat(outbox().retryAll()).isZero();
        assertThat(store().read(mark(entry))).isEmpty();
    }
}
