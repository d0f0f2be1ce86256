package dev.semel.testkit.kv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.DocumentCollection;
import dev.semel.document.DocumentCollection.WriteResult;
import dev.semel.document.Transactions;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.kv.DocumentKeyValueStore;
import dev.semel.kv.KeyValueStore;
import dev.semel.memory.MemoryStore;
import dev.semel.testkit.ControlledTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DocumentKeyValueStoreTest implements KeyValueStoreContract {

    private final ControlledTime time = new ControlledTime();
    private final MemoryStore documents = new MemoryStore(time, 64 << 20);
    private final KeyValueStore store = new DocumentKeyValueStore(documents, "textpile");

    @Override
    public KeyValueStore keyValueStore() {
        return store;
    }

    @Override
    public void advance(Duration step) {
        time.advance(step);
    }

    @Test
    void writtenValue_isNotOverwrittenByATransaction() {
        DocumentCollection collection = DocumentCollection.of("textpile", KeyTemplate.of("{id}"));
        store.put("k", Json.of("1"), null);
        WriteResult created = new Transactions(documents, time).run(tx -> collection.create(tx, "k", Json.of("2")));
        assertThat(created).isInstanceOf(WriteResult.Taken.class);
        assertThat(store.get("k")).contains(Json.of("1"));
    }
}
