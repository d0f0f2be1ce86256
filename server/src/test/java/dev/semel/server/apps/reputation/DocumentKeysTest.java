package dev.semel.server.apps.reputation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.id.IdSchemes;
import dev.semel.key.KeyTemplate;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DocumentKeysTest {

    private static final String USER = "67e5504410b1426f9247bb680e5fe0c8";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "USR=67e5504410b1426f9247bb680e5fe0c8_TAG=b068e9ee1422edf7878440ab8b6",
                "USR_67e5504410b1426f9247bb680e5fe0c8_TAG_b068e9ee1422edf7878440ab8b6",
                "USR_67e5504410b1426f9247bb680e5fe0c8_TAG_b068e9ee1422edf7878440ab8b6_TAR_c168e9ee1422edf7878440ab8c7_KEY_d268e9ee1422edf7878440ab8c8"
            })
    void legacySample_isReadInOneFormAndRejectedAsNew(String key) {
        List<KeyTemplate> templates = List.of(DocumentKeys.USER, DocumentKeys.TAG, DocumentKeys.VOTE);
        assertThat(templates).noneMatch(template -> template.isValid(key));
        assertThat(templates.stream().flatMap(template -> LegacyKeys.parts(template, key).stream()))
                .singleElement()
                .satisfies(parts -> assertThat(parts)
                        .containsEntry("user", USER)
                        .containsEntry("tag", "b068e9ee1422edf7878440ab8b6"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "usr_67e5504410b1426f9247bb680e5fe0c8_tag_b068e9ee1422edf7878440ab8b6", // 27 digits
                "tag_67e5504410b1426f9247bb680e5fe0c8_usr_67e5504410b1426f9247bb680e5fe0c8", // labels out of order
                "abc_67e5504410b1426f9247bb680e5fe0c8_xyz_67e5504410b1426f9247bb680e5fe0c8", // unknown labels
                "usr_67e5504410b1126f9247bb680e5fe0c8_tag_67e5504410b1426f9247bb680e5fe0c8" // version 1
            })
    void sampleThatIsNoKey_isRejected(String key) {
        assertThat(DocumentKeys.TAG.isValid(key)).isFalse();
    }

    @Test
    void vote_isFoundByUserAndTagAndByTagAndTarget() {
        Map<String, String> parts = Map.of(
                "user", IdSchemes.UUID4S.mint(),
                "tag", IdSchemes.UUID4S.mint(),
                "target", IdSchemes.UUID4S.mint(),
                "key", IdSchemes.UUID4S.mint());
        String byUser = DocumentKeys.VOTE.key(parts);
        String byTarget = DocumentKeys.VOTE_BY_TARGET.key(parts);

        assertThat(DocumentKeys.VOTE
                        .range(Map.of("user", parts.get("user"), "tag", parts.get("tag")))
                        .contains(byUser))
                .isTrue();
        assertThat(DocumentKeys.VOTE_BY_TARGET
                        .range(Map.of("tag", parts.get("tag"), "target", parts.get("target")))
                        .contains(byTarget))
                .isTrue();
        assertThat(DocumentKeys.VOTE_BY_TARGET.parse(byTarget)).isEqualTo(DocumentKeys.VOTE.parse(byUser));
    }
}
