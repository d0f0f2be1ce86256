package dev.semel.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class MalformedJsonExceptionTest {

    /** Texts as Latin-1, so that any byte can be written. */
    static Stream<Arguments> refusals() {
        return Stream.of(
                refusal("", 0, "expected a value, but the text ends"),
                refusal(" \n ", 3, "expected a value, but the text ends"),
                refusal("\u00EF\u00BB\u00BF{}", 0, "a byte order mark, which JSON does not have"),
                refusal("1 2", 2, "more text after the value, found \"2\""),
                refusal("{}\0", 2, "more text after the value, found byte 0x00"),
                refusal("\"a\"\"b\"", 3, "more text after the value, found byte 0x22"),
                refusal("[1,]", 3, "a comma before ]"),
                refusal("{\"a\":1,}", 7, "a comma before }"),
                refusal("[,1]", 1, "expected a value, found \",\""),
                refusal("[1,,2]", 3, "expected a value, found \",\""),
                refusal("[1 2]", 3, "expected a comma or ], found \"2\""),
                refusal("[1", 2, "expected a comma or ], but the text ends"),
                refusal("[", 1, "expected a value or ], but the text ends"),
                refusal("[1}", 2, "expected a comma or ], found \"}\""),
                refusal("{", 1, "expected a name or }, but the text ends"),
                refusal("{a:1}", 1, "expected a name in quotes, found \"a\""),
                refusal("{'a':1}", 1, "expected a name in quotes, found \"'\""),
                refusal("{\"a\"}", 4, "expected a colon, found \"}\""),
                refusal("{\"a\"", 4, "expected a colon, but the text ends"),
                refusal("{\"a\":", 5, "expected a value, but the text ends"),
                refusal("{\"a\":1", 6, "expected a comma or }, but the text ends"),
                refusal("{\"a\":1,", 7, "expected a name, but the text ends"),
                refusal("{\"a\":1]", 6, "expected a comma or }, found \"]\""),
                refusal("{\"a\":1 \"b\":2}", 7, "expected a comma or }, found byte 0x22"),
                refusal("// no\n1", 0, "expected a value, found \"/\""),
                refusal("{\"a\":1,\"a\":2}", 7, "duplicate member \"a\""),
                refusal("{\"a\":1,\"b\":2,\"\\u0061\":3}", 13, "duplicate member \"a\""),
                refusal("{\"c\":1,\"a\":1,\"b\":2,\"c\":3,\"a\":1}", 19, "duplicate member \"c\""),
                refusal(
                        "[{\"x\":{\"\\n\\u00e9\\u0022\":1,\"\":2,\"\\u000a\u00C3\u00A9\\\"\":3}}]",
                        31,
                        "duplicate member \"\\n\\u00e9\\\"\""),
                refusal(
                        "{\"" + "n".repeat(70) + "\":1,\"" + "n".repeat(70) + "\":2}",
                        76,
                        "duplicate member \"" + "n".repeat(64) + "\"…"),
                refusal("tru", 0, "expected a value, found \"t\""),
                refusal("True", 0, "expected a value, found \"T\""),
                refusal("nulL", 0, "expected a value, found \"n\""),
                refusal("nullx", 4, "more text after the value, found \"x\""),
                refusal("NaN", 0, "expected a value, found \"N\""),
                refusal("Infinity", 0, "expected a value, found \"I\""),
                refusal("-Infinity", 1, "expected a digit of a number, found \"I\""),
                refusal("1e400", 0, "a number beyond what a double holds"),
                refusal("[-1e309]", 1, "a number beyond what a double holds"),
                refusal("1.7976931348623159e308", 0, "a number beyond what a double holds"),
                refusal("1" + "0".repeat(400) + ".0", 0, "a number beyond what a double holds"),
                refusal("1e99999999999999999999", 0, "a number beyond what a double holds"),
                refusal("01", 0, "a number begins with zero"),
                refusal("-01", 1, "a number begins with zero"),
                refusal("00", 0, "a number begins with zero"),
                refusal("+1", 0, "expected a value, found \"+\""),
                refusal(".5", 0, "expected a value, found \".\""),
                refusal("1.", 2, "expected a digit of a number, but the text ends"),
                refusal("[1.]", 3, "expected a digit of a number, found \"]\""),
                refusal("1e", 2, "expected a digit of a number, but the text ends"),
                refusal("1e+", 3, "expected a digit of a number, but the text ends"),
                refusal("-", 1, "expected a digit of a number, but the text ends"),
                refusal("0x10", 1, "more text after the value, found \"x\""),
                refusal("\"abc", 4, "the text ends within the string that begins at byte 0"),
                refusal("[\"abcdefghijklmnop", 18, "the text ends within the string that begins at byte 1"),
                refusal("\"a\nb\"", 2, "control character 0x0a in a string, which has to be escaped"),
                refusal(
                        "\"0123456789\u001f0123456789\"",
                        11,
                        "control character 0x1f in a string, which has to be escaped"),
                refusal("\"\0\"", 1, "control character 0x00 in a string, which has to be escaped"),
                refusal("\"\\", 1, "the text ends within an escape"),
                refusal("\"\\x\"", 1, "invalid escape: a backslash, then \"x\""),
                refusal("\"\\U0041\"", 1, "invalid escape: a backslash, then \"U\""),
                refusal("\"\\u12", 5, "expected four hexadecimal digits after \\u, but the text ends"),
                refusal("\"\\u12g4\"", 5, "expected four hexadecimal digits after \\u, found \"g\""),
                refusal("\"\\ud83d\"", 1, "half of a surrogate pair"),
                refusal("\"\\ude00\"", 1, "half of a surrogate pair"),
                refusal("\"\\ud83d\\ud83d\"", 1, "half of a surrogate pair"),
                refusal("\"\\ud83dx\\ude00\"", 1, "half of a surrogate pair"),
                refusal("\"\\ud83d\\n\"", 1, "half of a surrogate pair"),
                refusal("\"\\ud83d\\u12\"", 11, "expected four hexadecimal digits after \\u, found byte 0x22"),
                refusal("\"\u0080\"", 1, "invalid UTF-8: byte 0x80 cannot begin a character"),
                refusal("\"\u00C0\u00AF\"", 1, "invalid UTF-8: byte 0xc0 cannot begin a character"),
                refusal("\"\u00C1\u00BF\"", 1, "invalid UTF-8: byte 0xc1 cannot begin a character"),
                refusal("\"\u00E0\u009F\u00BF\"", 1, "invalid UTF-8: byte 0x9f cannot follow 0xe0"),
                refusal("\"\u00F0\u008F\u00BF\u00BF\"", 1, "invalid UTF-8: byte 0x8f cannot follow 0xf0"),
                refusal("\"\u00ED\u00A0\u0080\"", 1, "invalid UTF-8: byte 0xa0 cannot follow 0xed"),
                refusal("\"\u00F4\u0090\u0080\u0080\"", 1, "invalid UTF-8: byte 0x90 cannot follow 0xf4"),
                refusal("\"\u00F5\u0080\u0080\u0080\"", 1, "invalid UTF-8: byte 0xf5 cannot begin a character"),
                refusal("\"\u00FF\"", 1, "invalid UTF-8: byte 0xff cannot begin a character"),
                refusal("\"\u00C3\"", 1, "invalid UTF-8: byte 0x22 cannot follow 0xc3"),
                refusal("\"\u00E2\u0082\"", 1, "invalid UTF-8: byte 0x22 cannot follow 0x82"),
                refusal("\"\u00E2\u0082", 1, "invalid UTF-8: the text ends within a character"),
                refusal("\u00FF", 0, "expected a value, found byte 0xff"),
                refusal("\u00A0" + "1", 0, "expected a value, found byte 0xa0"),
                refusal("[".repeat(1_001), 1_000, "more than 1000 levels"),
                refusal("{\"a\":".repeat(1_001), 5_000, "more than 1000 levels"));
    }

    private static Arguments refusal(String latin1, int offset, String problem) {
        return Arguments.of(latin1, offset, problem);
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void malformedJson_isRejectedWithPositionAndReason(String latin1, int offset, String problem) {
        byte[] text = latin1.getBytes(ISO_8859_1);
        MalformedJsonException e = catchThrowableOfType(MalformedJsonException.class, () -> Json.canonical(text));
        assertThat(e).isNotNull();
        assertThat(e.problem()).isEqualTo(problem);
        assertThat(e.offset()).isEqualTo(offset);
        assertThat(e.getMessage())
                .endsWith(" (byte " + offset + "): " + problem)
                .hasLineCount(1);
        assertThatThrownBy(() -> Json.of(text)).hasMessage(e.getMessage());
    }

    @Test
    void position_isGivenInLinesAndCharacters() {
        assertThatThrownBy(() -> Json.canonical("{\n  \"\u00e9\ud83d\ude00\": x\n}"))
                .hasMessage("line 2, column 9 (byte 14): expected a value, found \"x\"")
                .isInstanceOfSatisfying(MalformedJsonException.class, e -> {
                    assertThat(e.line()).isEqualTo(2);
                    assertThat(e.column()).isEqualTo(9);
                    assertThat(e.offset()).isEqualTo(14);
                });
        assertThatThrownBy(() -> Json.canonical("{\"a\":1,\"a\":2}"))
                .hasMessage("line 1, column 8 (byte 7): duplicate member \"a\"");
    }

    @Test
    void halfASurrogatePairInAString_isRejected() {
        assertThatThrownBy(() -> Json.of("[\"\u00e9\uD83D\"]"))
                .hasMessage("line 1, column 4 (byte 4): half of a surrogate pair");
        assertThatThrownBy(() -> Json.of("\"\uDE00\uD83D\"")).hasMessageContaining("(byte 1): half of a");
        assertThat(Json.of("\"\uD83D\uDE00\"").bytes()).isEqualTo("\"\uD83D\uDE00\"".getBytes(UTF_8));
    }

    @Test
    void textBeyondTheLimit_isRejected() {
        String longest = "\"" + "x".repeat(Json.MOST_BYTES - 2) + "\"";
        assertThat(Json.canonical(longest)).hasSize(Json.MOST_BYTES);
        String problem = "line 1, column 1 (byte 0): longer than 16777216 bytes";
        assertThatThrownBy(() -> Json.canonical(longest + " ")).hasMessage(problem);
        assertThatThrownBy(() -> Json.canonical(new byte[Json.MOST_BYTES + 1])).hasMessage(problem);
        assertThatThrownBy(() -> Json.canonical("\u00e9".repeat(Json.MOST_BYTES / 2 + 1)))
                .hasMessage(problem);
    }
}
