package dev.semel.testkit.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.json.Json;
import dev.semel.kv.KeyValueStore;
import dev.semel.store.StoreException;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.kv.SimulatedKeyValueStore.Fault;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SimulatedKeyValueStoreTest implements KeyValueStoreContract {

    private static final Json VALUE = Json.of("1");

    private final ControlledTime time = new ControlledTime();
    private final SimulatedKeyValueStore store = new SimulatedKeyValueStore(time);

    @Override
    public KeyValueStore keyValueStore() {
        return store;
    }

    @Override
    public void advance(Duration step) {
        time.advance(step);
    }

    @Test
    void staleStore_showsWritesLate() {
        store.withStaleness(Duration.ofSeconds(5)).put("k", VALUE, null);
        time.advance(Duration.ofMillis(4_999));
        assertThat(store.get("k")).isEmpty();
        assertThat(store.current("k")).contains(VALUE);
        time.advance(Duration.ofMillis(1));
        assertThat(store.get("k")).contains(VALUE);
        store.delete("k");
        assertThat(store.get("k")).contains(VALUE);
        time.advance(Duration.ofSeconds(5));
        assertThat(store.get("k")).isEmpty();
    }

    @Test
    void latency_passesBeforeAnOperationIsApplied() {
        store.withLatency(Duration.ofSeconds(2)).put("k", VALUE, Duration.ofSeconds(1));
        assertThat(store.current("k")).contains(VALUE);
        assertThat(store.get("k")).isEmpty();
        assertThat(time.nanoTime()).isEqualTo(Duration.ofSeconds(4).toNanos());
    }

    @Test
    void plannedFault_hitsTheNextOperationOfItsKind() {
        store.fail("put k", Fault.LOST_RESPONSE);
        assertThat(store.get("k")).isEmpty();
        assertThatThrownBy(() -> store.put("k", VALUE, null)).isInstanceOf(StoreException.class);
        assertThat(store.get("k")).contains(VALUE);
        store.fail("delete", Fault.LOST_REQUEST);
        assertThatThrownBy(() -> store.delete("k")).isInstanceOf(StoreException.class);
        assertThat(store.get("k")).contains(VALUE);
        assertThat(store.log()).containsExactly("get k", "put k", "get k", "delete k", "get k");
    }
}
