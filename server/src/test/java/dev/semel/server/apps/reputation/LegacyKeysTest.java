package dev.semel.server.apps.reputation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.Transactions;
import dev.semel.id.IdSchemes;
import dev.semel.memory.MemoryStore;
import dev.semel.server.AppDriver;
import dev.semel.server.AppDriver.Reply;
import dev.semel.server.migration.Migration;
import dev.semel.server.migration.MigrationListener;
import dev.semel.server.migration.MigrationOptions;
import dev.semel.server.migration.NdjsonSource;
import dev.semel.store.Time;
import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LegacyKeysTest {

    private static final String ANN = "67e5504410b1426f9247bb680e5fe0c8";
    private static final String GOLF = "b068e9ee14224edf8878440ab8b6c7d8";
    private static final String KEY = "usr_" + ANN + "_tag_" + GOLF;
    private static final String PATH = "/v1/documents/reputations/";

    private final MemoryStore store = new MemoryStore();
    private final Transactions transactions = new Transactions(store, Time.system());
    private final AppDriver reading = new AppDriver(transactions, new Reputation(store, true));
    private final AppDriver refusing = new AppDriver(transactions, new Reputation(store, false));

    private void migrate(String line) {
        new Migration(store, Time.system())
                .run(
                        new NdjsonSource(new ByteArrayInputStream(line.getBytes(UTF_8)), "old", 0),
                        MigrationOptions.DEFAULTS,
                        MigrationListener.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "USR=a_TAG=b, a, b",
        "USR_a_TAG_b, a, b",
        "usr_a_tag_b, a, b",
        "USR_a_b_TAG_c_d, a_b, c_d",
        "USR=a@example.com_TAG=b=c, a@example.com, b=c",
    })
    void keyThatContainsItsParts_isSplit(String key, String user, String tag) {
        assertThat(LegacyKeys.parts(DocumentKeys.TAG, key)).contains(Map.of("user", user, "tag", tag));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "USR=a_TAG_b",
                "USR=a_tag=b",
                "USR=a",
                "USR=_TAG=b",
                "USR=a_TAG=",
                "USR=a_TAG=b_TAR=c",
                "USR=a_TAG=b_TAG=c",
                "TAG=b_USR=a",
                "usr=a_tag=b",
                "a_b",
                "",
            })
    void otherKey_hasNoParts(String key) {
        assertThat(LegacyKeys.parts(DocumentKeys.TAG, key)).isEmpty();
    }

    @Test
    void id_getsOneUuid_andUuidsOfVersion4StayTheSame() {
        LegacyIds ids = transactions.run(LegacyIds::ofOrCreate);
        assertThat(ids.assigned(ANN)).isEqualTo(ANN);
        assertThat(ids.assigned("67E55044-10B1-426F-9247-BB680E5FE0C8")).isEqualTo(ANN);
        for (String id :
                List.of("alice", "b068e9ee1422edf7878440ab8b6", "", "Zoë", "123e4567-e89b-12d3-a456-426614174000")) {
            assertThat(IdSchemes.UUID4S.isValid(ids.assigned(id))).as(id).isTrue();
            assertThat(LegacyIds.of(store).orElseThrow().assigned(id)).isEqualTo(ids.assigned(id));
        }
        assertThat(ids.assigned("alice")).isNotEqualTo(ids.assigned("Alice"));
        assertThat(ids.assigned("123E4567E89B12D3A456426614174000"))
                .isEqualTo(ids.assigned("123e4567-e89b-12d3-a456-426614174000"));
        LegacyIds others = new Transactions(new MemoryStore(), Time.system()).run(LegacyIds::ofOrCreate);
        assertThat(others.assigned("alice")).isNotEqualTo(ids.assigned("alice"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"USR=%s_TAG=%s", "USR_%s_TAG_%s"})
    void legacyKey_readsAndWritesTheDocumentUnderItsNewKey(String form) {
        String legacy = PATH + String.format(form, ANN, GOLF);
        assertThat(reading.get("ann", legacy).status()).isEqualTo(404);
        Reply created = reading.send("ann", "PUT", legacy, "{\"data\":1}");
        assertThat(created.status()).isEqualTo(201);
        assertThat(created.at("key").stringValue()).isEqualTo(KEY);
        assertThat(reading.get("ann", PATH + KEY).at("data").intValue()).isEqualTo(1);
        assertThat(reading.get("ann", legacy).at("version").intValue()).isEqualTo(1);
        assertThat(refusing.get("ann", legacy).status()).isEqualTo(400);
        assertThat(refusing.send("ann", "PUT", legacy, "{\"data\":2}").status()).isEqualTo(400);
    }

    @Test
    void legacyIds_areFoundByTheMapping() {
        assertThat(reading.get("ann", PATH + "USR=alice_TAG=golf").status()).isEqualTo(400);
        migrate("{\"collection\":\"reputations\",\"key\":\"USR=alice_TAG=golf\",\"data\":{\"points\":1}}");
        assertThat(reading.get("ann", PATH + "USR=alice_TAG=golf")
                        .at("data")
                        .get("points")
                        .intValue())
                .isEqualTo(1);
        assertThat(reading.get("ann", PATH + "USR=alice_TAG=polo").status()).isEqualTo(404);
        assertThat(reading.get("ann", PATH + "USR=alice").status()).isEqualTo(400);
    }

    @Test
    void arbitraryLegacyKey_isFoundByTheJournal_untilTheMigrationIsRolledBack() {
        migrate(
                "{\"collection\":\"votes\",\"key\":\"V1StGXR8\",\"data\":{\"owner\":\"a\",\"tag\":\"b\",\"target\":\"c\"}}");
        Reply vote = reading.get("ann", "/v1/documents/votes/V1StGXR8");
        assertThat(vote.status()).isEqualTo(200);
        assertThat(vote.at("key").stringValue()).startsWith("usr_");
        assertThat(reading.get("ann", "/v1/documents/tags/V1StGXR8").status()).isEqualTo(400);
        assertThat(refusing.get("ann", "/v1/documents/votes/V1StGXR8").status()).isEqualTo(400);
        new Migration(store, Time.system()).rollback(0, MigrationListener.NONE);
        assertThat(reading.get("ann", "/v1/documents/votes/V1StGXR8").status()).isEqualTo(400);
        assertThat(LegacyKeys.resolve(store, DocumentType.named("votes").orElseThrow(), "V1StGXR8"))
                .isEqualTo(Optional.empty());
    }
}
