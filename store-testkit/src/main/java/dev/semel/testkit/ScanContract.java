package dev.semel.testkit;

import static dev.semel.testkit.DocumentFixture.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.DocumentCollection;
import dev.semel.document.DocumentCollection.Page;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.key.KeyTemplate;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.spi.DocumentStore.Scan;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A scan returns documents in key order, in pages. */
public interface ScanContract extends DocumentFixture {

    /** Returns a scan of all documents of the shared collection. */
    static Scan all(int limit) {
        return new Scan("things", "", "", KeyRange.ofPrefix(""), "", limit);
    }

    private List<String> scanned(KeyRange range, String after, int limit) {
        return documents().scan(new Scan("things", "", "", range, after, limit)).stream()
                .map(Document::key)
                .toList();
    }

    private List<String> scannedDown(KeyRange range, String after, int limit) {
        return documents().scan(new Scan("things", "", "", range, after, limit, true)).stream()
                .map(Document::key)
                .toList();
    }

    @Test
    default void scan_returnsTheKeysOfTheRange_inTheOrderOfTheirBytes() {
        for (String key : List.of("b", "a_", "a", "aZ", "a-", "a0", "ab", "aa", "~", "!", "a~")) {
            commit(Map.of(), document(key, 1, "1"));
        }
        assertThat(scanned(KeyRange.ofPrefix(""), "", 100))
                .containsExactly("!", "a", "a-", "a0", "aZ", "a_", "aa", "ab", "a~", "b", "~");
        assertThat(scanned(KeyRange.ofPrefix("a"), "", 100))
                .containsExactly("a", "a-", "a0", "aZ", "a_", "aa", "ab", "a~");
        assertThat(scanned(KeyRange.ofKey("a"), "", 100)).containsExactly("a");
        assertThat(scanned(KeyRange.ofPrefix("c"), "", 100)).isEmpty();
    }

    @Test
    default void scan_continuesAfterAKey_whetherItIsStillThereOrNot() {
        for (String key : List.of("a", "c", "e")) {
            commit(Map.of(), document(key, 1, "1"));
        }
        assertThat(scanned(KeyRange.ofPrefix(""), "a", 1)).containsExactly("c");
        assertThat(scanned(KeyRange.ofPrefix(""), "b", 9)).containsExactly("c", "e");
        assertThat(scanned(KeyRange.ofPrefix(""), "e", 9)).isEmpty();
        assertThat(scanned(KeyRange.ofPrefix("c"), "a", 9)).containsExactly("c");
    }

    @Test
    default void descendingScan_returnsTheSameInReverseOrder() {
        for (String key : List.of("a", "b1", "b2", "b3", "c", "~")) {
            commit(Map.of(), document(key, 1, "1"));
        }
        Instant now = time().instant();
        commit(
                Map.of(),
                new Document(
                        new DocumentId("things", "ann", "b"),
                        1,
                        now,
                        now,
                        null,
                        Json.of("2"),
                        DocumentFixture.commitIdOf(1),
                        0),
                new Document(
                        new DocumentId("thingz", "", "b"),
                        1,
                        now,
                        now,
                        null,
                        Json.of("2"),
                        DocumentFixture.commitIdOf(1),
                        0));
        assertThat(scannedDown(KeyRange.ofPrefix(""), "", 100)).containsExactly("~", "c", "b3", "b2", "b1", "a");
        assertThat(scannedDown(KeyRange.ofPrefix("b"), "", 2)).containsExactly("b3", "b2");
        assertThat(scannedDown(KeyRange.ofPrefix("b"), "b2", 9)).containsExactly("b1");
        assertThat(scannedDown(KeyRange.ofPrefix("b"), "b25", 9)).containsExactly("b2", "b1");
        assertThat(scannedDown(KeyRange.ofPrefix("b"), "c", 9)).containsExactly("b3", "b2", "b1");
        assertThat(scannedDown(KeyRange.ofPrefix("b"), "a", 9)).isEmpty();
        assertThat(scannedDown(KeyRange.ofPrefix(""), "a", 9)).isEmpty();
    }

    @Test
    default void scan_staysInItsCollectionAndWithItsOwner() {
        Instant now = time().instant();
        commit(Map.of(), document("k", 1, "1"));
        for (DocumentId other : List.of(
                new DocumentId("thing", "", "k"),
                new DocumentId("thingss", "", "k"),
                new DocumentId("things", "ann", "k"))) {
            commit(Map.of(), new Document(other, 1, now, now, null, Json.of("2"), DocumentFixture.commitIdOf(1), 0));
        }
        assertThat(documents().scan(all(100))).extracting(Document::id).containsExactly(id("k"));
        assertThat(documents().scan(new Scan("things", "ann", "", KeyRange.ofPrefix(""), "", 100)))
                .extracting(Document::id)
                .containsExactly(new DocumentId("things", "ann", "k"));
    }

    @Test
    default void scan_omitsExpiredDocuments() {
        Instant now = time().instant();
        commit(
                Map.of(),
                new Document(id("a"), 1, now, now, now.plusSeconds(1), Json.of("1"), DocumentFixture.commitIdOf(1), 0),
                document("b", 1, "1"));
        assertThat(scanned(KeyRange.ofPrefix(""), "", 9)).containsExactly("a", "b");
        time().advance(Duration.ofSeconds(1));
        assertThat(scanned(KeyRange.ofPrefix(""), "", 1)).containsExactly("b");
    }

    @Test
    default void pages_whileOthersWrite_neitherSkipNorRepeatDocumentsThatStay() {
        DocumentCollection things = DocumentCollection.of("things", KeyTemplate.of("{id}"));
        for (int i = 0; i < 50; i++) {
            commit(Map.of(), document(String.format("k%02d", i), 1, "1"));
        }
        List<String> seen = new ArrayList<>();
        @Nullable String next = null;
        do {
            Page page = things.scan(documents(), KeyRange.ofPrefix("k"), next, 7);
            page.items().forEach(document -> seen.add(document.key()));
            next = page.next().orElse(null);
            if (next != null) {
                // the last document of the page is deleted, and others are written before and after it
                String last = seen.get(seen.size() - 1);
                transactions().run(tx -> things.delete(tx, last));
                commit(Map.of(), document("k" + last.substring(1) + "-new", 1, "1"), document("k00", 2, "2"));
            }
        } while (next != null);
        assertThat(seen).isSorted().doesNotHaveDuplicates();
        assertThat(seen.stream().filter(key -> key.length() == 3)).hasSize(50);
    }

    @Test
    default void lastPage_hasNoNext() {
        DocumentCollection things = DocumentCollection.of("things", KeyTemplate.of("{id}"));
        commit(Map.of(), document("a", 1, "1"), document("b", 1, "1"));
        assertThat(things.scan(documents(), KeyRange.ofPrefix(""), null, 2).next())
                .isEmpty();
        assertThat(things.scan(documents(), KeyRange.ofPrefix(""), null, 1).next())
                .isPresent();
    }
}
