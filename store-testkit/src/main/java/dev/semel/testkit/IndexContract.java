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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A document is found by its index entries, which are written and deleted with it. */
public interface IndexContract extends DocumentFixture {

    /** Votes, by user in the key and by target in an index. */
    DocumentCollection VOTES = DocumentCollection.of(
            "votes",
            KeyTemplate.of("usr_{user:uuid4s}_tag_{tag:uuid4s}_tar_{target:uuid4s}"),
            KeyTemplate.of("tag_{tag:uuid4s}_tar_{target:uuid4s}_usr_{user:uuid4s}"));

    private String vote(String user, String tag, String target) {
        String key = VOTES.key().key(Map.of("user", user, "tag", tag, "target", target));
        assertThat(transactions().<WriteResult, RuntimeException>run(tx -> VOTES.create(tx, key, Json.of("1"))))
                .isInstanceOf(WriteResult.Written.class);
        return key;
    }

    private List<String> found(Map<String, String> parts) {
        return VOTES.find(documents(), parts, null, 100).items().stream()
                .map(Document::key)
                .toList();
    }

    @Test
    default void query_thatFixesAPrefixOfAnIndex_findsJustThose() {
        String ann = IdSchemes.UUID4S.mint();
        String bob = IdSchemes.UUID4S.mint();
        String tag = IdSchemes.UUID4S.mint();
        String target = IdSchemes.UUID4S.mint();
        String byAnn = vote(ann, tag, target);
        String byBob = vote(bob, tag, target);
        vote(bob, IdSchemes.UUID4S.mint(), target);
        vote(ann, tag, IdSchemes.UUID4S.mint());
        assertThat(found(Map.of("tag", tag, "target", target)))
                .containsExactlyInAnyOrder(byAnn, byBob)
                .isSorted(); // by user, which is first in the key and last in the index entry
        assertThat(found(Map.of("user", ann, "tag", tag, "target", target))).containsExactly(byAnn);
        assertThat(found(Map.of("user", ann))).hasSize(2);
        assertThat(found(Map.of("tag", tag))).hasSize(3);
    }

    @Test
    default void indexEntries_areDeletedWithTheDocument() {
        String tag = IdSchemes.UUID4S.mint();
        String key = vote(IdSchemes.UUID4S.mint(), tag, IdSchemes.UUID4S.mint());
        transactions().run(tx -> VOTES.update(tx, key, 1, Json.of("2")));
        assertThat(VOTES.find(documents(), Map.of("tag", tag), null, 9).items())
                .extracting(Document::version)
                .containsExactly(2L);
        transactions().run(tx -> VOTES.delete(tx, key));
        assertThat(found(Map.of("tag", tag))).isEmpty();
    }

    @Test
    default void indexEntries_ofAnExpiredDocument_findNothing() {
        String tag = IdSchemes.UUID4S.mint();
        String key =
                VOTES.key().key(Map.of("user", IdSchemes.UUID4S.mint(), "tag", tag, "target", IdSchemes.UUID4S.mint()));
        transactions().run(tx -> VOTES.create(tx, key, Json.of("1"), Duration.ofSeconds(60)));
        assertThat(found(Map.of("tag", tag))).hasSize(1);
        time().advance(Duration.ofSeconds(60));
        assertThat(found(Map.of("tag", tag))).isEmpty();
    }

    @Test
    default void pagesOfAnIndex_areCompleteAndInOrder() {
        String tag = IdSchemes.UUID4S.mint();
        for (int i = 0; i < 10; i++) {
            vote(IdSchemes.UUID4S.mint(), tag, IdSchemes.UUID4S.mint());
        }
        List<String> targets = new ArrayList<>();
        @Nullable String next = null;
        do {
            Page page = VOTES.find(documents(), Map.of("tag", tag), next, 3);
            page.items()
                    .forEach(vote -> targets.add(VOTES.key().parse(vote.key()).get("target")));
            next = page.next().orElse(null);
        } while (next != null);
        assertThat(targets).hasSize(10).isSorted().doesNotHaveDuplicates();
    }

    @Test
    default void query_thatFixesNoPrefix_isRejected_withTheQueriesThatArePossible() {
        assertThatThrownBy(() -> found(Map.of("target", IdSchemes.UUID4S.mint())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("No key or index of votes starts with [target]; it can be queried by [user], [user, tag], "
                        + "[user, tag, target], [tag], [tag, target]");
        assertThatThrownBy(() -> found(Map.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> found(Map.of("colour", "red"))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> found(Map.of("tag", "no-uuid")))
                .isInstanceOf(MalformedException.class)
                .hasMessageStartingWith("tag ");
    }

    @Test
    default void cursorOfAnotherQuery_isRejected() {
        String tag = IdSchemes.UUID4S.mint();
        vote(IdSchemes.UUID4S.mint(), tag, IdSchemes.UUID4S.mint());
        vote(IdSchemes.UUID4S.mint(), tag, IdSchemes.UUID4S.mint());
        String next =
                VOTES.find(documents(), Map.of("tag", tag), null, 1).next().orElseThrow();
        assertThat(next).matches("[A-Za-z0-9_-]+");
        for (String cursor : List.of(next, "!", "", "YQ")) {
            Map<String, String> other = Map.of("tag", IdSchemes.UUID4S.mint());
            assertThatThrownBy(() -> VOTES.find(documents(), other, cursor, 1))
                    .isInstanceOf(MalformedException.class)
                    .hasMessageStartingWith("after ");
        }
    }
}
