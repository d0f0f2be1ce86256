package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.document.DocumentCollection;
import dev.semel.document.DocumentCollection.Page;
import dev.semel.document.DocumentCollection.WriteResult;
import dev.semel.id.IdSchemes;
import dev.semel.id.MalformedException;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.store.Document;
import dev.semel.store.spi.OrderedStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Documents of an ordered collection are returned in commit order, regardless of their keys. */
@Needs(OrderedStore.class)
public interface OrderContract extends DocumentFixture {

    /** Notes in one commit order. */
    DocumentCollection NOTES =
            DocumentCollection.of("notes", KeyTemplate.of("{note}")).inCommitOrder();

    /** Additional documents that make a commit slow. */
    DocumentCollection BULK = DocumentCollection.of("bulk", KeyTemplate.of("{id}"));

    /** A text that takes long to write. */
    Json LONG_TEXT = Json.of("\"" + "x".repeat(300_000) + "\"");

    /** Remarks on notes, in a separate commit order for each note. */
    DocumentCollection REMARKS = DocumentCollection.of("remarks", KeyTemplate.of("{note:uuid4s}_{remark}"))
            .inCommitOrder("note");

    private void note(String key) {
        assertThat(transactions().<WriteResult, RuntimeException>run(tx -> NOTES.create(tx, key, Json.of("1"))))
                .isInstanceOf(WriteResult.Written.class);
    }

    private List<Document> oldestNotes() {
        return NOTES.oldest(documents(), Map.of(), null, DocumentCollection.LARGEST_PAGE)
                .items();
    }

    private static List<String> keys(List<Document> documents) {
        return documents.stream().map(Document::key).toList();
    }

    @Test
    default void documents_areFoundInCommitOrder_fromBothEnds() {
        List.of("m", "z", "a", "q").forEach(this::note);
        assertThat(keys(oldestNotes())).containsExactly("m", "z", "a", "q");
        assertThat(keys(NOTES.newest(documents(), Map.of(), null, 9).items())).containsExactly("q", "a", "z", "m");
        assertThat(oldestNotes()).extracting(Document::sequence).isSorted().doesNotHaveDuplicates();
    }

    @Test
    default void pages_newestFirst_areComplete_whileOthersWrite() {
        List<String> before = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            before.add(IdSchemes.UUID4S.mint());
            note(before.get(i));
        }
        List<String> seen = new ArrayList<>();
        @Nullable String next = null;
        do {
            Page page = NOTES.newest(documents(), Map.of(), next, 3);
            seen.addAll(keys(page.items()));
            next = page.next().orElse(null);
            note(IdSchemes.UUID4S.mint());
        } while (next != null);
        Collections.reverse(before);
        assertThat(seen).isEqualTo(before);
    }

    @Test
    default void update_keepsTheSequenceNumber_andCreationAssignsANewOne() {
        List.of("a", "b", "c").forEach(this::note);
        transactions().run(tx -> NOTES.update(tx, "a", 1, Json.of("2")));
        assertThat(keys(oldestNotes())).containsExactly("a", "b", "c");
        assertThat(oldestNotes().get(0).version()).isEqualTo(2);
        transactions().run(tx -> NOTES.delete(tx, "a"));
        assertThat(keys(oldestNotes())).containsExactly("b", "c");
        note("a");
        assertThat(keys(oldestNotes())).containsExactly("b", "c", "a");
    }

    @Test
    default void documentThatIsCreatedAgainAfterItsExpiry_isFoundOnce_byItsNewSequenceNumber() {
        transactions().run(tx -> NOTES.create(tx, "a", Json.of("1"), Duration.ofSeconds(60)));
        note("b");
        time().advance(Duration.ofSeconds(60));
        assertThat(keys(oldestNotes())).containsExactly("b");
        note("a");
        assertThat(keys(oldestNotes())).containsExactly("b", "a");
    }

    @Test
    default void orderWithinAPart_holdsTheDocumentsOfThatPartAlone() {
        String first = IdSchemes.UUID4S.mint();
        String second = IdSchemes.UUID4S.mint();
        for (String remark : List.of("y", "x")) {
            for (String note : List.of(first, second)) {
                transactions().run(tx -> REMARKS.create(tx, note + "_" + remark, Json.of("1")));
            }
        }
        assertThat(keys(REMARKS.oldest(documents(), Map.of("note", first), null, 9)
                        .items()))
                .containsExactly(first + "_y", first + "_x");
        assertThat(keys(REMARKS.newest(documents(), Map.of("note", second), null, 9)
                        .items()))
                .containsExactly(second + "_x", second + "_y");
        assertThat(REMARKS.oldest(documents(), Map.of("note", IdSchemes.UUID4S.mint()), null, 9)
                        .items())
                .isEmpty();
    }

    @Test
    default void queriesThatTheOrderCannotServe_areRejected() {
        assertThatThrownBy(() -> REMARKS.oldest(documents(), Map.of(), null, 9))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> REMARKS.oldest(documents(), Map.of("note", "x/"), null, 9))
                .isInstanceOf(MalformedException.class);
        for (String cursor : List.of("?", "YQ", "", "AAAAAAAAAAAAAAAAAAAAAAAA")) {
            assertThatThrownBy(() -> NOTES.newest(documents(), Map.of(), cursor, 9))
                    .isInstanceOf(MalformedException.class);
        }
    }

    @Test
    default void reader_neverSeesASequenceNumberBeforeALowerOne() throws Exception {
        int writers = 8;
        int each = 40;
        ExecutorService threads = Executors.newFixedThreadPool(writers);
        List<List<String>> seen = new ArrayList<>();
        try {
            List<Future<?>> writing = new ArrayList<>();
            for (int i = 0; i < writers; i++) {
                boolean slow = i % 2 == 0; // so much that commits which start later may complete sooner
                writing.add(threads.submit(() -> {
                    for (int n = 0; n < each; n++) {
                        String key = IdSchemes.UUID4S.mint();
                        transactions().run(tx -> {
                            NOTES.create(tx, key, Json.of("1"));
                            return slow ? BULK.create(tx, key, LONG_TEXT) : key;
                        });
                    }
                }));
            }
            while (!writing.stream().allMatch(Future::isDone)) {
                seen.add(keys(oldestNotes()));
            }
            for (Future<?> writer : writing) {
                writer.get();
            }
        } finally {
            threads.shutdown();
        }
        List<String> all = keys(oldestNotes());
        assertThat(all).hasSize(writers * each);
        for (List<String> some : seen) {
            assertThat(all.subList(0, some.size())).isEqualTo(some);
        }
    }

    @Test
    default void documentThatIsDeletedAndCreatedInOneCommit_isFoundOnce_byItsNewSequenceNumber() {
        List.of("a", "b").forEach(this::note);
        transactions().run(tx -> {
            NOTES.delete(tx, "a");
            return NOTES.create(tx, "a", Json.of("2"));
        });
        assertThat(keys(oldestNotes())).containsExactly("b", "a");
        transactions().run(tx -> {
            NOTES.delete(tx, "a");
            NOTES.create(tx, "a", Json.of("3"));
            return NOTES.delete(tx, "a");
        });
        assertThat(keys(oldestNotes())).containsExactly("b");
        note("a"); // with its old index entry it would be found twice
        assertThat(keys(oldestNotes())).containsExactly("b", "a");
    }

    @Test
    default void documentThatIsCreatedAndDeletedInOneCommit_leavesNothing() {
        transactions().run(tx -> NOTES.create(tx, "a", Json.of("1"), Duration.ofSeconds(60)));
        time().advance(Duration.ofSeconds(60));
        transactions().run(tx -> {
            NOTES.create(tx, "a", Json.of("2"));
            return NOTES.delete(tx, "a");
        });
        assertThat(oldestNotes()).isEmpty();
        note("a");
        assertThat(keys(oldestNotes())).containsExactly("a");
    }

    @Test
    default void secondDocumentOfACommitInTheSameOrder_isRejected() {
        String note = IdSchemes.UUID4S.mint();
        assertThatThrownBy(() -> transactions().run(tx -> {
                    NOTES.create(tx, "a", Json.of("1"));
                    return NOTES.create(tx, "b", Json.of("2"));
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("A transaction can create only one document of notes in the same commit order");
        assertThat(oldestNotes()).isEmpty();
        transactions().run(tx -> {
            NOTES.create(tx, "a", Json.of("1"));
            REMARKS.create(tx, note + "_a", Json.of("1"));
            return REMARKS.create(
                    tx, IdSchemes.UUID4S.mint() + "_a", Json.of("1")); // in the commit order of another note
        });
        assertThat(keys(oldestNotes())).containsExactly("a");
        assertThat(REMARKS.oldest(documents(), Map.of("note", note), null, 9).items())
                .hasSize(1);
    }
}
