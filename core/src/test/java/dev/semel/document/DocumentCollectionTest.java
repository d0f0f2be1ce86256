package dev.semel.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.id.MalformedException;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.key.KeyTemplate;
import dev.semel.memory.MemoryStore;
import dev.semel.store.Time;
import org.junit.jupiter.api.Test;

/** Declarations of collections. {@code DocumentCollectionContract} tests their behavior on every store. */
class DocumentCollectionTest {

    private final KeyTemplate key = KeyTemplate.of("{a:hex}-{b:word}");

    @Test
    void indexWithOtherParts_isRejected() {
        for (String other :
                new String[] {"{b:word}", "{b:word}-{a:word}", "{b:word}-{a:hex}-{c:hex}", "{a:hex}-{d:word}"}) {
            assertThatThrownBy(() -> DocumentCollection.of("c", key, KeyTemplate.of(other)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("The index " + other + " does not have the same parts as {a:hex}-{b:word}");
        }
    }

    @Test
    void keyThatIsDeclaredTwice_isRejected() {
        KeyTemplate entry = KeyTemplate.of("{b:word}-{a:hex}");
        assertThatThrownBy(() -> DocumentCollection.of("c", key, key)).hasMessageContaining("declared twice");
        assertThatThrownBy(() -> DocumentCollection.of("c", key, entry, entry)).hasMessageContaining("declared twice");
    }

    @Test
    void nameOrOwnerOutOfForm_isRejected() {
        assertThatThrownBy(() -> DocumentCollection.of("", key)).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> DocumentCollection.of("a b", key)).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> DocumentCollection.of("c", key).ownedBy("")).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> DocumentCollection.of("c", key).ownedBy("a\nb"))
                .isInstanceOf(MalformedException.class);
    }

    @Test
    void pageOfNoneOrTooMany_isRejected() {
        try (MemoryStore store = new MemoryStore()) {
            DocumentCollection records = DocumentCollection.of("c", key);
            for (int limit : new int[] {-1, 0, 1001}) {
                assertThatThrownBy(() -> records.scan(store, KeyRange.ofPrefix(""), null, limit))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("A page has 1 to 1000 documents, not " + limit);
            }
        }
    }

    @Test
    void minterOfTakenKeys_failsAfterAHundred() {
        try (MemoryStore store = new MemoryStore()) {
            DocumentCollection records = DocumentCollection.of("c", key);
            Transactions transactions = new Transactions(store, Time.system());
            transactions.run(tx -> records.createMinted(tx, () -> "0-a", Json.of("1")));
            assertThatThrownBy(() -> transactions.run(tx -> records.createMinted(tx, () -> "0-a", Json.of("2"))))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("The collection c already has each of 100 generated keys");
            assertThat(records.read(store, "0-a").orElseThrow().data()).isEqualTo(Json.of("1"));
        }
    }
}
