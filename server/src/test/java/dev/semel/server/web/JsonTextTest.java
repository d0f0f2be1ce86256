package dev.semel.server.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.json.Json;
import dev.semel.json.MalformedJsonException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

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
    void member_keepsItsBytes(String value) {
        Json object = Json.of("{ \"before\" : {\"data\":0}, \"data\" :  " + value + " , \"after\":1}");
        assertThat(JsonText.member(object, "data")).contains(Json.of(value));
        assertThat(JsonText.member(Json.of("{\"data\":" + value + "}"), "data")).contains(Json.of(value));
        assertThat(JsonText.bytes(JsonText.object()
                        .set(
                                "data",
                                JsonText.raw(JsonText.member(object, "data").orElseThrow()))))
                .asString(java.nio.charset.StandardCharsets.UTF_8)
                .isEqualTo("{\"data\":" + value + "}");
    }

    @Test
    void missingMember_isEmpty() {
        assertThat(JsonText.member(Json.of("{\"other\":{\"data\":1}}"), "data")).isEmpty();
    }

    @Test
    void anyJson_isReadAndWritten() {
        for (String text : new String[] {
            "[".repeat(Json.MOST_LEVELS) + "]".repeat(Json.MOST_LEVELS),
            "9".repeat(10_000),
            "{\"" + "n".repeat(1 << 20) + "\":1}"
        }) {
            Json json = Json.of(text);
            assertThat(JsonText.json(JsonText.tree(json)).text().equals(text)).isTrue();
        }
    }

    /** The output of this writer is stored without validation. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\u0000\u0001\u001f\u007f",
                "\"\\\\/\b\f\n\r\t",
                "é\u2028\u2029\ufeff",
                "\ud83d\ude00",
                "</script>",
                "\\\\uD83D",
                "uD83D"
            })
    void anyText_isWrittenAsJsonThatPassesTheCheck(String text) {
        Json written = JsonText.json(JsonText.object().put(text, text).set("list", JsonText.object()));
        assertThat(Json.of(written.bytes())).isEqualTo(written);
        assertThat(JsonText.tree(written).get(text).stringValue()).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ud83d", "\ude00", "\ud83dx", "x\ude00\ud83d"})
    void halfASurrogatePair_isNotWritten(String text) {
        assertThatThrownBy(() -> JsonText.json(JsonText.object().put("text", text)))
                .isInstanceOf(MalformedJsonException.class);
        assertThatThrownBy(() -> JsonText.json(JsonText.object().put(text, 1)))
                .isInstanceOf(MalformedJsonException.class);
    }

    @Test
    void treeWithTooManyLevels_isNotWritten() {
        JsonNode deepest = JsonText.tree(Json.of("[".repeat(Json.MOST_LEVELS) + "]".repeat(Json.MOST_LEVELS)));
        assertThatThrownBy(() -> JsonText.json(JsonText.object().set("deeper", deepest)))
                .isInstanceOf(JacksonException.class);
    }

    @Test
    void numberThatTakesLongToWrite_isRejected() {
        assertThatThrownBy(() -> JsonText.tree(Json.of("[" + "9".repeat(10_001) + "]")))
                .isInstanceOf(ProblemException.class);
    }
}
