package dev.semel.server.apps.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.Transactions;
import dev.semel.memory.MemoryStore;
import dev.semel.store.Time;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("jdk")
class PageBudgetTest {

    private final MemoryStore store = new MemoryStore();
    private final PageBudget room = new PageBudget(100);
    private final EventHub hub = new EventHub(store, new Transactions(store, Time.system()), Time.system(), 1, 1);

    private Subscriber reader() {
        return new Subscriber(hub, Time.system(), "ann", 0, "");
    }

    @Test
    void longestHolder_losesItsBudgetFirst_andNoMoreThanNeeded() {
        Subscriber first = reader();
        Subscriber second = reader();
        Subscriber third = reader();
        assertThat(room.take(first, 40)).isEmpty();
        assertThat(room.take(second, 40)).isEmpty();
        room.release(first);
        assertThat(room.take(first, 60)).isEmpty();
        assertThat(room.take(third, 40)).containsExactly(second);
        assertThat(room.take(second, 500)).containsExactly(first, third);
        room.release(second);
        room.release(second);
        assertThat(room.take(first, 100)).isEmpty();
    }
}
