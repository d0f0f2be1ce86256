package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.key.KeyTemplate;
import dev.semel.once.Call;
import dev.semel.once.Outcome;
import dev.semel.record.Records;
import dev.semel.record.WriteResult;
import dev.semel.store.Capability;
import dev.semel.store.Document;
import dev.semel.store.OnceKey;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Nobody sees, replays or changes what is another's. */
public interface IsolationContract extends StoreFixture {

    private static Call of(String user, String endpoint, String key) {
        return Call.of(new OnceKey(user, endpoint, key), Fingerprint.ofJson(PAYLOAD));
    }

    @Test
    default void sameKeyOfAnotherUserOrEndpoint_isAnotherKey() {
        List<Call> calls = List.of(
                of("ann", "POST /posts/1/likes", "k"),
                of("bob", "POST /posts/1/likes", "k"),
                of("ann", "POST /posts/2/likes", "k"),
                of("ann", "DELETE /posts/1/likes", "k"),
                of("annPOST", "/posts/1/likes", "k"),
                of("an", "nPOST /posts/1/likes", "k"),
                of("ann", "POST /posts/1/likes", "k2"),
                of("k", "POST /posts/1/likes", "ann"));
        for (Mode mode : modes()) {
            for (int i = 0; i < calls.size(); i++) {
                Call call = calls.get(i);
                Call own = new Call(
                        new OnceKey(
                                call.key().user(),
                                call.key().endpoint() + mode,
                                call.key().key()),
                        call.fingerprint(),
                        call.clientTxId(),
                        call.patience());
                assertThat(run(mode, own, "answer " + i)).isInstanceOf(Outcome.Executed.class);
                Outcome again = run(mode, own, "must not run");
                assertThat(((Outcome.Replayed) again).response().text()).isEqualTo("answer " + i);
            }
        }
    }

    @Test
    default void recordsOfOneOwner_areNeitherSeenNorChangedByAnother() {
        needs(Capability.COMMIT, Capability.SCAN);
        Records notes =
                Records.of("notes", KeyTemplate.of("{folder:hex}-{id:word}"), KeyTemplate.of("{id:word}-{folder:hex}"));
        Records anns = notes.ownedBy("ann");
        Records bobs = notes.ownedBy("bob");
        transactions().run(tx -> anns.create(tx, "0a-k", Json.of("\"ann\"")));
        for (Records others : List.of(bobs, notes)) {
            assertThat(others.read(store(), "0a-k")).isEmpty();
            assertThat(others.scan(store(), KeyRange.ofPrefix(""), null, 10).items())
                    .isEmpty();
            assertThat(others.find(store(), Map.of("id", "k"), null, 10).items())
                    .isEmpty();
            assertThat(transactions().<WriteResult, RuntimeException>run(tx -> others.delete(tx, "0a-k")))
                    .isEqualTo(new WriteResult.Missing());
            assertThat(transactions()
                            .<WriteResult, RuntimeException>run(tx -> others.update(tx, "0a-k", 1, Json.of("2"))))
                    .isEqualTo(new WriteResult.Missing());
        }
        transactions().run(tx -> bobs.create(tx, "0a-k", Json.of("\"bob\"")));
        assertThat(anns.read(store(), "0a-k")).map(Document::data).contains(Json.of("\"ann\""));
        assertThat(bobs.find(store(), Map.of("id", "k"), null, 10).items())
                .extracting(Document::data)
                .containsExactly(Json.of("\"bob\""));
    }
}
