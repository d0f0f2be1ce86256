package dev.semel.testkit;

import static dev.semel.testkit.DocumentFixture.id;
import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.DocumentCollection;
import dev.semel.document.DocumentCollection.WriteResult;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.key.KeyTemplate;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.DocumentStore.Scan;
import dev.semel.store.spi.OrderedStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** A sweep deletes expired documents with their index entries. The erasure of a user deletes the user's documents. */
public interface DocumentAdminContract extends AdminFixture, DocumentFixture {

    /** Documents that expire, with an index. */
    DocumentCollection EXPIRING = DocumentCollection.of(
            "expiring", KeyTemplate.of("{id:hex}-{name:hex}"), KeyTemplate.of("{name:hex}-{id:hex}"));

    @Test
    default void expiredDocument_isSwept_withItsIndexEntries() {
        assertSweptWith("by-name", key -> new IndexEntry("by-name", key));
    }

    @Test
    @Needs(OrderedStore.class)
    default void expiredDocument_isSwept_withItsEntryInCommitOrder() {
        assertSweptWith(IndexEntry.COMMIT_ORDER, key -> IndexEntry.inCommitOrder(""));
    }

    private void assertSweptWith(String index, Function<String, IndexEntry> entry) {
        Instant expiry = time().instant().plusSeconds(60);
        put(document("stays", 1, "1"), entry.apply("stays"));
        put(expiring("goes", expiry), entry.apply("goes"));
        time().advance(Duration.ofSeconds(59));
        assertThat(sweep()).containsEntry(StoreAdmin.DOCUMENTS, 0L);
        time().advance(Duration.ofSeconds(1));
        assertThat(sweep()).containsEntry(StoreAdmin.DOCUMENTS, 1L);
        assertThat(sweep()).containsEntry(StoreAdmin.DOCUMENTS, 0L);
        assertThat(documents().read(id("stays"))).isPresent();
        time().setClock(expiry.minusSeconds(1)); // it is deleted instead of only hidden
        assertThat(documents().read(id("goes"))).isEmpty();
        commit(Map.of(), document("goes", 1, "1")); // a remaining index entry would lead to it
        Scan scan = new Scan(id("any").collection(), "", index, KeyRange.ofPrefix(""), "", 10);
        assertThat(documents().scan(scan)).extracting(Document::key).containsExactly("stays");
    }

    private void put(Document document, IndexEntry entry) {
        documents().commit(new Commit(newCommitId(), null, Map.of(), List.of(DocumentFixture.put(document, entry))));
    }

    @Test
    default void erasedUser_hasNoDocuments_ifTheyAreErasedToo() {
        DocumentId anns = new DocumentId("things", "ann", "d");
        DocumentId bobs = new DocumentId("things", "bob", "d");
        commit(Map.of(), document(anns, 1, "{}"), document(bobs, 1, "{}"));
        run(Mode.ATOMIC, call("k"), "done");
        assertThat(admin().erase("ann", false)).containsEntry(StoreAdmin.KEYS, 1L);
        assertThat(documents().read(anns)).isPresent();
        assertThat(admin().erase("ann", true))
                .containsEntry(StoreAdmin.KEYS, 0L)
                .containsEntry(StoreAdmin.DOCUMENTS, 1L);
        assertThat(documents().read(anns)).isEmpty();
        assertThat(documents().read(bobs)).isPresent();
    }

    @Test
    default void owners_areFoundInOrder_withoutThoseOfOtherCollections() {
        List<String> owners = List.of("Zoë", "ann", "ann\u00e9", "bob", "\ud83d\ude00", "\uff5e");
        for (String owner : owners) {
            commit(
                    Map.of(),
                    document(new DocumentId("owned", owner, "a"), 1, "{}"),
                    document(new DocumentId("owned", owner, "b"), 1, "{}"),
                    document(new DocumentId("owned2", "cid", "a"), 1, "{}"));
        }
        commit(Map.of(), document(new DocumentId("owned", "", "shared"), 1, "{}"));
        List<String> found = new ArrayList<>();
        for (Optional<String> owner = admin().nextOwner("owned", "");
                owner.isPresent();
                owner = admin().nextOwner("owned", owner.get())) {
            found.add(owner.get());
        }
        assertThat(found).containsExactly("Zoë", "ann", "ann\u00e9", "bob", "\uff5e", "\ud83d\ude00");
        assertThat(admin().nextOwner("none", "")).isEmpty();
    }

    @Test
    default void userWithAnyName_hasPrivateDocuments_whichAreErasedAlone() {
        for (String user : USERS) {
            DocumentCollection own = EXPIRING.ownedBy(user);
            transactions().run(tx -> own.create(tx, "1-a", Json.of("1"), Duration.ofMinutes(1)));
            transactions().run(tx -> own.create(tx, "2-a", Json.of("2"), null));
        }
        for (String user : USERS) {
            DocumentCollection own = EXPIRING.ownedBy(user);
            assertThat(own.find(documents(), Map.of("name", "a"), null, 10).items())
                    .extracting(document -> document.id().owner() + " " + document.key())
                    .containsExactly(user + " 1-a", user + " 2-a");
        }
        time().advance(Duration.ofMinutes(1));
        assertThat(sweep()).containsEntry(StoreAdmin.DOCUMENTS, (long) USERS.size());
        for (int erased = 0; erased < USERS.size(); erased++) {
            assertThat(admin().erase(USERS.get(erased), true)).containsEntry(StoreAdmin.DOCUMENTS, 1L);
            for (int left = erased + 1; left < USERS.size(); left++) {
                DocumentCollection own = EXPIRING.ownedBy(USERS.get(left));
                assertThat(own.scan(documents(), KeyRange.ofPrefix(""), null, 10)
                                .items())
                        .hasSize(1);
            }
        }
    }

    @Test
    default void documentsCreatedAgain_whileSwept_stay() throws Exception {
        for (int round = 1; round <= 6; round++) {
            Json data = Json.of(String.valueOf(round));
            String left = "1-" + Integer.toHexString(round);
            transactions().run(tx -> EXPIRING.create(tx, left, data, Duration.ofMinutes(1)));
            time().advance(Duration.ofMinutes(1)); // all documents that were created before are expired
            assertThat(whileSweeping(List.of(() -> createAll(data), () -> createAll(data))))
                    .isPositive();
            for (int i = 0; i < 40; i++) {
                assertThat(EXPIRING.read(documents(), key(i)).orElseThrow().data())
                        .isEqualTo(data);
                assertThat(EXPIRING.find(documents(), Map.of("name", Integer.toHexString(i)), null, 10)
                                .items())
                        .hasSize(1);
            }
        }
    }

    private static String key(int i) {
        return "0-" + Integer.toHexString(i);
    }

    private int createAll(Json data) {
        int created = 0;
        for (int i = 0; i < 40; i++) {
            String key = key(i);
            WriteResult result = transactions().run(tx -> EXPIRING.create(tx, key, data, Duration.ofMinutes(1)));
            created += result instanceof WriteResult.Written ? 1 : 0;
        }
        return created;
    }
}
