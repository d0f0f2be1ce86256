package dev.semel.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("jdk")
class JsonTest {

    @Test
    void json_keepsItsText() {
        String text = " {\"b\" : 1.0,\n \"a\":\"\\u00e9\u00e9\"} ";
        assertThat(Json.of(text).text()).isEqualTo(text).isEqualTo(Json.of(text).toString());
        assertThat(Json.of(text.getBytes(UTF_8)).bytes()).isEqualTo(text.getBytes(UTF_8));
    }

    @Test
    void jsonTexts_areEqualIfTheirBytesAre() {
        assertThat(Json.of("[1]")).isEqualTo(Json.of("[1]".getBytes(UTF_8))).hasSameHashCodeAs(Json.of("[1]"));
        assertThat(Json.of("[1]")).isNotEqualTo(Json.of("[1] ")).isNotEqualTo("[1]");
    }

    @Test
    void json_doesNotShareItsBytes() {
        byte[] bytes = {'1'};
        Json json = Json.of(bytes);
        bytes[0] = '2';
        json.bytes()[0] = '3';
        assertThat(json.text()).isEqualTo("1");
    }

    @Test
    void canonical_leavesItsArgumentAlone() {
        byte[] bytes = "{\"b\":1,\"a\":2}".getBytes(UTF_8);
        byte[] copy = bytes.clone();
        assertThat(Json.canonical(bytes)).isEqualTo("{\"a\":2,\"b\":1}".getBytes(UTF_8));
        assertThat(bytes).isEqualTo(copy);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 23, 24, 25, 47, 48, 49, 1_000, 100_000})
    void objectOfMembersInAnyOrder_isSorted(int count) {
        List<Integer> members = IntStream.range(0, count).boxed().collect(Collectors.toCollection(ArrayList::new));
        String sorted = object(members);
        Collections.reverse(members);
        assertThat(Canonical.of(object(members))).isEqualTo(sorted);
        Collections.shuffle(members, new Random(count));
        assertThat(Canonical.of(object(members))).isEqualTo(sorted);
    }

    private static String object(List<Integer> members) {
        return members.stream()
                .map(i -> String.format("\"member %06d\":{\"value\":%d}", i, i))
                .collect(Collectors.joining(",", "{", "}"));
    }

    @Test
    void thousandLevels_fitIntoASmallStack() throws Exception {
        String sorted = "{\"a\":[".repeat(500) + "1" + "],\"b\":[]}".repeat(500);
        String unsorted = "{\"b\":[],\"a\":[".repeat(500) + "1" + "]}".repeat(500);
        CompletableFuture<String> result = new CompletableFuture<>();
        Thread thread = new Thread(
                null,
                () -> result.completeAsync(() -> Canonical.of(unsorted), Runnable::run),
                "small stack",
                256 << 10);
        thread.start();
        assertThat(result.get()).isEqualTo(sorted);
    }

    /** Nested unsorted objects around a long text. Moving the text once for each level would take minutes. */
    @Test
    void longTextDeepWithin_isMovedOnce() {
        String body = "\"" + "x".repeat(8_000_000) + "\"";
        String text = "{\"b\":0,\"a\":".repeat(1_000) + body + "}".repeat(1_000);
        assertThat(Canonical.of(text)).isEqualTo("{\"a\":".repeat(1_000) + body + ",\"b\":0}".repeat(1_000));
    }

    @Test
    void numbersThatGrow_fit() {
        String text = "1e20,".repeat(10_000);
        assertThat(Canonical.of("[" + text + "1]")).isEqualTo("[" + text.replace("1e20", "1" + "0".repeat(20)) + "1]");
        String integer = "123456789".repeat(1_000);
        assertThat(Canonical.of("[1e20," + integer + ",\"" + integer + "\"]"))
                .isEqualTo("[100000000000000000000," + integer + ",\"" + integer + "\"]");
    }

    @Test
    void specialByte_isSeenAtEveryPlaceOfAString() {
        for (int before = 0; before < 20; before++) {
            for (int after = 0; after < 20; after++) {
                String left = "\"" + "x".repeat(before);
                String right = "~".repeat(after) + "\"";
                assertThat(Canonical.of(left + "\\u0041" + right)).isEqualTo(left + "A" + right);
                assertThat(Canonical.of(left + "\\\\" + right)).isEqualTo(left + "\\\\" + right);
                assertThat(Canonical.of(left + "\u00e9\ud83d\ude00" + right))
                        .isEqualTo(left + "\u00e9\ud83d\ude00" + right);
                assertThat(Canonical.of(left + "\u007f !#[]" + right)).isEqualTo(left + "\u007f !#[]" + right);
            }
        }
    }

    @Test
    void everyCharacter_hasOneEncoding() {
        for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
            if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
                continue;
            }
            String raw = Character.toString(c);
            String escaped =
                    raw.chars().mapToObj(u -> String.format("\\u%04X", u)).collect(Collectors.joining());
            String expected = expected(c, raw);
            assertThat(Canonical.of("\"" + escaped + "\"")).isEqualTo(expected);
            if (expected.length() == raw.length() + 2) {
                assertThat(Canonical.of("\"" + raw + "\"")).isEqualTo(expected);
            }
            c += c > 0x3000 ? 40 : 0;
        }
    }

    private static String expected(int c, String raw) {
        return switch (c) {
            case '"' -> "\"\\\"\"";
            case '\\' -> "\"\\\\\"";
            case '\b' -> "\"\\b\"";
            case '\t' -> "\"\\t\"";
            case '\n' -> "\"\\n\"";
            case '\f' -> "\"\\f\"";
            case '\r' -> "\"\\r\"";
            default -> c < ' ' ? String.format("\"\\u%04x\"", c) : "\"" + raw + "\"";
        };
    }
}
