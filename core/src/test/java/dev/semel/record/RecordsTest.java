package dev.semel.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.id.MalformedException;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.key.KeyTemplate;
import dev.semel.store.MemoryStore;
import dev.semel.store.Time;
import dev.semel.store.Transactions;
import org.junit.jupiter.api.Test;

/** Declaring collections; what they do is in the contract of stores. */
class RecordsTest {

    private final KeyTemplate key = KeyTemplate.of("{a:hex}-{b:word}");

    @Test
    void furtherKeyWithOtherParts_isRefused() {
        for (String other :
                new String[] {"{b:word}", "{b:word}-{a:word}", "{b:word}-{a:hex}-{c:hex}", "{a:hex}-{d:word}"}) {
            assertThatThrownBy(() -> Records.of("c", key, KeyTemplate.of(other)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("The further key " + other + " has not the same parts as {a:hex}-{b:word}");
        }
    }

    @Test
    void keyThatIsDeclaredTwice_isRefused() {
        KeyTemplate further = KeyTemplate.of("{b:word}-{a:hex}");
        assertThatThrownBy(() -> Records.of("c", key, key)).hasMessageContaining("declared twice");
        assertThatThrownBy(() -> Records.of("c", key, further, further)).hasMessageContaining("declared twice");
    }

    @Test
    void nameOrOwnerOutOfForm_isRefused() {
        assertThatThrownBy(() -> Records.of("", key)).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> Records.of("a b", key)).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> Records.of("c", key).ownedBy("")).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> Records.of("c", key).ownedBy("a b")).isInstanceOf(MalformedException.class);
    }

    @Test
    void pageOfNoneOrTooMany_isRefused() {
        try (MemoryStore store = new MemoryStore()) {
            Records records = Records.of("c", key);
            for (int limit : new int[] {-1, 0, 1001}) {
                assertThatThrownBy(() -> records.scan(store, KeyRange.ofPrefix(""), null, limit))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("A page has 1 to 1000 records, not " + limit);
            }
        }
    }

    @Test
    void minterThatMakesOnlyTakenKeys_isGivenUp() {
        try (MemoryStore store = new MemoryStore()) {
            Records records = Records.of("c", key);
            Transactions transactions = new Transactions(store, Time.system());
            transactions.run(tx -> records.createMinted(tx, () -> "0-a", Json.of("1")));
            assertThatThrownBy(() -> transactions.run(tx -> records.createMinted(tx, () -> "0-a", Json.of("2"))))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("100 keys in a row that were made for c are taken");
            assertThat(records.read(store, "0-a").orElseThrow().data()).isEqualTo(Json.of("1"));
        }
    }
}
