package dev.semel.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.id.IdSchemes;
import dev.semel.id.MalformedException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyTemplateTest {

    private static final String USER = "67e5504410b1426f9247bb680e5fe0c8";
    private static final String TAG = "0c1e9b2a4d5f4a6b8c7d0e1f2a3b4c5d";

    private final KeyTemplate reputation = KeyTemplate.of("usr_{user:uuid4s}_tag_{tag:uuid4s}");

    @Test
    void key_isBuiltAndSplit() {
        String key = reputation.key(Map.of("user", USER, "tag", TAG));
        assertThat(key).isEqualTo("usr_" + USER + "_tag_" + TAG);
        assertThat(reputation.parse(key)).isEqualTo(Map.of("user", USER, "tag", TAG));
        assertThat(reputation.parts()).extracting(KeyTemplate.Part::name).containsExactly("user", "tag");
        assertThat(reputation.parts().get(0).format()).isSameAs(IdSchemes.UUID4S);
        assertThat(reputation.maxLength()).isEqualTo(73);
        assertThat(reputation.isFixedWidth()).isTrue();
    }

    @Test
    void partOfWrongLength_isReportedWithPositionAndExpectation() {
        String key = "usr_" + USER + "_tag_b068e9ee1422edf7878440ab8b6";
        assertThatThrownBy(() -> reputation.parse(key)).isInstanceOfSatisfying(MalformedException.class, e -> {
            assertThat(e.field()).isEqualTo("tag");
            assertThat(e.at()).isEqualTo(41);
            assertThat(e.value()).isEqualTo("b068e9ee1422edf7878440ab8b6");
            assertThat(e)
                    .hasMessage("tag \"b068e9ee1422edf7878440ab8b6\" has 27 characters (at 41); expected 32"
                            + " lower-case hex digits, a UUID of version 4");
        });
    }

    @Test
    void shortPartInTheMiddle_isShownUpToItsSeparator() {
        assertThatThrownBy(() -> reputation.parse("usr_b068e9ee1422edf7878440ab8b6_tag_" + TAG))
                .hasMessageStartingWith("user \"b068e9ee1422edf7878440ab8b6\" has 27 characters (at 4)");
    }

    @ParameterizedTest
    @CsvSource({
        "USR_67e5504410b1426f9247bb680e5fe0c8_TAG_0c1e9b2a4d5f4a6b8c7d0e1f2a3b4c5d, key, 0",
        "usr_67e5504410b1426f9247bb680e5fe0c8_TAG_0c1e9b2a4d5f4a6b8c7d0e1f2a3b4c5d, key, 36",
        "usr_67e5504410b1426f9247bb680e5fe0c8_tag_0c1e9b2a4d5f4a6b8c7d0e1f2a3b4c5dX, key, 73",
        "usr_67e5504410b1426f9247bb680e5fe0c8_tag_0C1e9b2a4d5f4a6b8c7d0e1f2a3b4c5d, tag, 42",
        "usr_67e5504410b1526f9247bb680e5fe0c8_tag_0c1e9b2a4d5f4a6b8c7d0e1f2a3b4c5d, user, 16",
        "usr_67e5504410b1426f9247bb680e5fe0c8, key, 36",
        "usr_, user, 4"
    })
    void malformedKey_isRejectedWithPartAndPosition(String key, String part, int at) {
        assertThat(reputation.isValid(key)).isFalse();
        assertThat(reputation.fault(key)).isNotNull();
        assertThatThrownBy(() -> reputation.parse(key)).isInstanceOfSatisfying(MalformedException.class, e -> {
            assertThat(e.field()).isEqualTo(part);
            assertThat(e.at()).isEqualTo(at);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "{a:uuid4}-{b:uuid4}, 123e4567-e89b-12d3-a456-426614174000-550e8400-e29b-41d4-a716-446655440000, a, 14, has version 1",
        "{a:uuid464}-{b:seq10}, VQ6E-OKbQdSnFkRmVUQAAB-0000000001, a, 21, has a",
        "{a:nanoid}-{b:tsid}, V1StGXR8_Z5jdHi6B-myT-0AXS476XC0Y8z, b, 34, has a",
        "user_{a:typeid}, user_01h455vb4pex5vsknk084sn02u, a, 30, has a",
        "{a:ksuid}_{b:ksuid}, 0ujtsYcgvSTl8PAuAdqWYSMnLOv_aWgEPTl1tmebfsQzFP4bxwgy80-, b, 54, has a",
        "{a:seq10}{b:seq10}, 000000000x0000000001, a, 9, has a",
        "{a:seq10}{b:seq10}, 0000000001x000000001, b, 10, has a",
        "x{key:seq10}, x1, key, 1, has 1 character"
    })
    void partOfFixedWidth_isJudgedByItself(String template, String key, String part, int at, String problem) {
        KeyTemplate declared = KeyTemplate.of(template);
        assertThatThrownBy(() -> declared.parse(key)).isInstanceOfSatisfying(MalformedException.class, e -> {
            assertThat(e.field()).isEqualTo(part);
            assertThat(e.at()).isEqualTo(at);
            assertThat(e.problem()).startsWith(problem);
        });
        assertThat(declared.fault(key)).satisfies(fault -> {
            assertThat(fault.at()).isEqualTo(at);
            assertThat(fault.problem()).startsWith("has a " + part + " that has ");
        });
    }

    @Test
    void whatIsHandedOut_cannotChangeWhatItCameFrom() {
        String key = "usr_" + USER + "_tag_" + TAG;
        assertThatThrownBy(() -> reputation.parse(key).put("user", TAG))
                .isInstanceOf(UnsupportedOperationException.class);
        KeyRange range = KeyRange.ofPrefix("a");
        range.from()[0] = 'z';
        range.to().orElseThrow()[0] = 'z';
        assertThat(range).isEqualTo(KeyRange.ofPrefix("a"));
    }

    @Test
    void halvesOfSurrogatePairs_areNoKeys() {
        assertThatThrownBy(() -> KeyRange.ofPrefix("\ud800")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> KeyRange.ofKey("\ud800")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> KeyRange.ofKey("?").contains("\ud800")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void tooManyParts_areRejected() {
        StringBuilder template = new StringBuilder();
        for (int i = 0; i < 65; i++) {
            template.append("{p").append(i).append(":seq10}");
        }
        assertThatThrownBy(() -> KeyTemplate.of(template.toString())).hasMessageContaining("more than 64 parts");
    }

    @Test
    void missingKey_isRejected() {
        assertThat(reputation.isValid(null)).isFalse();
        assertThatThrownBy(() -> reputation.parse(null)).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> reputation.parse("x".repeat(1 << 20))).isInstanceOf(MalformedException.class);
    }

    @Test
    void valuesThatDoNotFit_areRejectedByName() {
        assertThatThrownBy(() -> reputation.key(Map.of("user", USER)))
                .isInstanceOf(MalformedException.class)
                .hasMessageStartingWith("tag (none) is missing");
        assertThatThrownBy(() -> reputation.key(Map.of("user", USER, "tag", "x")))
                .hasMessageStartingWith("tag \"x\" has 1 character; expected 32");
        Map<String, String> more = new HashMap<>(Map.of("user", USER, "tag", TAG, "target", TAG));
        assertThatThrownBy(() -> reputation.key(more)).hasMessageContaining("has no part named \"target\"");
    }

    @Test
    void ranges_areThoseOfTheFirstParts() {
        assertThat(reputation.prefixes()).containsExactly("usr_", "usr_{user}_tag_");
        assertThat(reputation.range(Map.of())).isEqualTo(KeyRange.ofPrefix("usr_"));
        assertThat(reputation.range(Map.of("user", USER)))
                .hasToString("[usr_" + USER + "_tag_, usr_" + USER + "_tag`)");
        assertThat(reputation.range(Map.of("user", USER, "tag", TAG)))
                .isEqualTo(KeyRange.ofKey("usr_" + USER + "_tag_" + TAG));
        assertThatThrownBy(() -> reputation.range(Map.of("tag", TAG)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("it takes its first parts: [], [user], [user, tag]");
    }

    @Test
    void rangeOfAnOpenLastPart_isThatKeyAlone() {
        KeyTemplate post = KeyTemplate.of("post:{id:text}");
        KeyRange range = post.range(Map.of("id", "a"));
        assertThat(range.contains("post:a")).isTrue();
        assertThat(range.contains("post:ab")).isFalse();
    }

    @Test
    void rangeOfEverything_hasNoEnd() {
        assertThat(KeyTemplate.of("{id}").range(Map.of()).to()).isEmpty();
        assertThat(KeyRange.ofPrefix("").contains(new byte[] {-1, -1})).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{userid}-{workoutid}-{exerciseid} | 0 | userid may itself hold '-'",
                "a{x:word}_{y} | 1 | x may itself hold '_'",
                "{x:word}_tag_{y} | 0 | x may itself hold '_tag_'",
                "{x:hex}{y:tid62} | 0 | nothing separates x",
                "{x:day-nonce}-{y} | 0 | x may itself hold '-'",
                "usr_ | -1 | has no part",
                "usr_{} | 4 | without a proper name",
                "usr_{user:} | 4 | no such type as \"\"",
                "usr_{user:uuid5} | 4 | no such type as \"uuid5\"",
                "usr_{user | 4 | does not close it",
                "usr}{user} | 3 | closes a part that was not opened",
                "{a}:{a} | 4 | two parts named a",
                "{a b} | 0 | without a proper name",
                "x y{a} | 1 | U+0020",
                "{{a}} | 0 | without a proper name",
                "ü{a} | 0 | U+00FC"
            })
    void templateThatCannotBe_isRejectedWhereAndWhy(String template, int at, String reason) {
        assertThatThrownBy(() -> KeyTemplate.of(template))
                .isInstanceOfSatisfying(MalformedException.class, e -> {
                    assertThat(e.field()).isEqualTo("template");
                    assertThat(e.at()).isEqualTo(at);
                    assertThat(e.expected()).isNotEmpty();
                })
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource({
        "{userid:uuid4}-{workoutid:uuid4}-{exerciseid:uuid4}", // a hyphen inside, but a fixed width
        "{userid:tid62}-{workoutid:tid62}-{exerciseid:tid62}",
        "{a:uuid464}{b:uuid464}",
        "{a:nanoid}-{b:nanoid}", // hyphens and underscores inside, but a fixed width
        "user_{user:typeid}_{event:ksuid}{order:tsid}",
        "{prefix:word}-{id:tid62}",
        "{x:word}_-{y}", // no word holds the hyphen
        "{x:hex}_tag_{y:hex}",
        "{x:hex}.json"
    })
    void templateThatCanBeSplit_isDeclared(String template) {
        assertThat(KeyTemplate.of(template)).hasToString(template);
    }

    @ParameterizedTest
    @CsvSource({"{a}-{b}, true", "{a:hex}{b:tid62}, true", "{a:hex}-{b}-, true", "{a:snowflake}, false", "{a, false"})
    void templateThatCannotBeSplitBack_isDistinguishedFromOneWithWrongSyntax(String template, boolean isAmbiguous) {
        assertThatThrownBy(() -> KeyTemplate.of(template))
                .isInstanceOf(MalformedException.class)
                .matches(e -> e instanceof KeyTemplate.AmbiguousException == isAmbiguous);
    }
}
