package dev.semel.server.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTextTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "1.10",
                "-0",
                "9007199254740993",
                "\"a \\u00e9 \u00fc } \\\" \"",
                "{\"data\" : [ 1 , {\"data\":2} ] }",
                "[]",
                "true"
            })
    void member_isSpelledAsItIsThere(String value) {
        Json object = Json.of("{ \"before\" : {\"data\":0}, \"data\" :  " + value + " , \"after\":1}");
        assertThat(JsonText.member(object, "data")).contains(Json.of(value));
        assertThat(JsonText.member(Json.of("{\"data\":" + value + "}"), "data")).contains(Json.of(value));
        assertThat(JsonText.bytes(JsonText.object()
                        .set(
                                "data",
                                JsonText.asItIs(JsonText.member(object, "data").orElseThrow()))))
                .asString(java.nio.charset.StandardCharsets.UTF_8)
                .isEqualTo("{\"data\":" + value + "}");
    }

    @Test
    void memberThatIsMissing_isNone() {
        assertThat(JsonText.member(Json.of("{\"other\":{\"data\":1}}"), "data")).isEmpty();
    }

    @Test
    void whateverIsJson_isReadAndWritten() {
        for (String text : new String[] {
            "[".repeat(Json.MOST_LEVELS) + "]".repeat(Json.MOST_LEVELS),
            "9".repeat(10_000),
            "{\"" + "n".repeat(1 << 20) + "\":1}"
        }) {
            Json json = Json.of(text);
            assertThat(JsonText.json(JsonText.tree(json)).text().equals(text)).isTrue();
        }
    }

    @Test
    void numberThatTakesLongToWrite_isRefused() {
        assertThatThrownBy(() -> JsonText.tree(Json.of("[" + "9".repeat(10_001) + "]")))
                .isInstanceOf(Refusal.class);
    }
}
