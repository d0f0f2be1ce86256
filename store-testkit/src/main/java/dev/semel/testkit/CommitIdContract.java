package dev.semel.testkit;

import static dev.semel.testkit.DocumentFixture.commitOf;
import static dev.semel.testkit.DocumentFixture.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.document.DocumentCollection;
import dev.semel.document.DocumentCollection.WriteResult;
import dev.semel.document.Transactions;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.store.Document;
import dev.semel.store.StoreException;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.CommitResult;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A commit that is sent again with the same commit id returns the same result and is not applied again. */
public interface CommitIdContract extends DocumentFixture {

    /** Documents of any content, by any id. */
    DocumentCollection NOTES = DocumentCollection.of("notes", KeyTemplate.of("{id}"));

    @Test
    default void sameCommitId_isAppliedOnce() {
        Commit creation = commitOf("commit-1", Map.of(id("a"), 0L), document("a", 1, "1"));
        CommitResult first = documents().commit(creation);
        assertThat(documents().commit(creation)).isEqualTo(first).isEqualTo(new CommitResult.Applied(null));
    }

    @Test
    default void sameCommitId_isKnown_afterAnotherCommitHasOverwrittenIt() {
        Commit creation = commitOf("commit-1", Map.of(id("a"), 0L), document("a", 1, "1"));
        CommitResult first = documents().commit(creation);
        commit(Map.of(id("a"), 1L), document("a", 2, "2"));
        assertThat(documents().commit(creation)).isEqualTo(first);
        assertThat(documents().read(id("a"))).map(Document::data).contains(Json.of("2"));
    }

    @Test
    default void sameCommitId_ofADeletion_isKnown() {
        commit(Map.of(), document("a", 1, "1"));
        Commit deletion = new Commit(
                "commit-2",
                null,
                Map.of(id("a"), DocumentFixture.commitIdOf(1)),
                List.of(new DocumentWrite.Delete(id("a"), List.of())));
        CommitResult first = documents().commit(deletion);
        commit(Map.of(id("a"), 0L), document("a", 1, "2"));
        assertThat(documents().commit(deletion)).isEqualTo(first);
        assertThat(documents().read(id("a"))).isPresent();
    }

    @Test
    default void commitIdOfACommitThatConflicted_canBeSentAgain() {
        Commit update = commitOf("commit-1", Map.of(id("a"), 1L), document("a", 2, "2"));
        assertThat(documents().commit(update)).isInstanceOf(CommitResult.DocumentConflict.class);
        commit(Map.of(), document("a", 1, "1"));
        assertThat(documents().commit(update)).isInstanceOf(CommitResult.Applied.class);
    }

    private static WriteResult create(Transactions transactions, String key) {
        return transactions.run(tx -> NOTES.create(tx, key, Json.of("1")));
    }

    @Test
    default void lostResponse_isResolvedBySendingTheCommitAgain() {
        FaultyStore faulty = new FaultyStore(store());
        Transactions transactions = new Transactions(faulty, time());
        faulty.loseResponses(3);
        assertThat(create(transactions, "a")).isInstanceOf(WriteResult.Written.class);
        assertThat(faulty.commits()).isEqualTo(4);
        faulty.failBefore(3);
        assertThat(create(transactions, "b")).isInstanceOf(WriteResult.Written.class);
        assertThat(faulty.commits()).isEqualTo(8);
    }

    @Test
    default void commitToAStoreThatStaysDown_isGivenUp() {
        FaultyStore faulty = new FaultyStore(store());
        faulty.goDown();
        assertThatThrownBy(() -> create(new Transactions(faulty, time()), "a")).isInstanceOf(StoreException.class);
        assertThat(faulty.commits()).isEqualTo(4);
        assertThat(NOTES.read(documents(), "a")).isEmpty();
    }
}
