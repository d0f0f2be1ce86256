package dev.semel.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.id.IdScheme;
import dev.semel.id.IdSchemes;
import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.server.Apps;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("jdk")
class SemelTest {

    private record Result(int status, String out, String err) {
        List<String> lines() {
            return out.lines().toList();
        }
    }

    private static Result semel(String... arguments) {
        return semelReading("", arguments);
    }

    private static Result semelReading(String input, String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = Semel.run(
                new ByteArrayInputStream(input.getBytes(UTF_8)), out, new PrintStream(err, true, UTF_8), arguments);
        return new Result(status, out.toString(UTF_8), err.toString(UTF_8));
    }

    private static void assertOneLine(Result result, int status, String... parts) {
        assertThat(result.status()).isEqualTo(status);
        assertThat(result.err().lines()).hasSize(1);
        assertThat(result.err()).contains(parts);
    }

    static Stream<IdScheme> schemes() {
        return IdSchemes.all().stream();
    }

    @ParameterizedTest
    @MethodSource("schemes")
    void id_mintsAsManyAsAskedFor(IdScheme scheme) {
        Result result = semel("id", scheme.name(), "-n", "1000");
        assertThat(result.status()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(result.lines()).hasSize(1000).allMatch(scheme::isValid);
    }

    @ParameterizedTest
    @MethodSource("schemes")
    void id_putsThePrefixBeforeEach(IdScheme scheme) {
        assertThat(semel("id", scheme.name(), "--prefix", "user", "-n", "2").lines())
                .hasSize(2)
                .allMatch(scheme.prefixed("user")::isValid);
    }

    @Test
    void id_putsTheTypeBeforeATypeid() {
        assertThat(semel("id", "typeid", "--prefix", "user").out()).matches("user_[0-7][0-9a-z]{25}\n");
        assertThat(semel("id", "tsid", "--prefix", "user").out()).matches("user-[0-9A-F][0-9A-Z]{12}\n");
    }

    @Test
    void id_countsFromTheGivenStart() {
        assertThat(semel("id", "seq36", "-n", "2", "--from", "35").lines()).containsExactly("000000z", "0000010");
        assertThat(semel("id", "seq10").lines()).containsExactly("0000000001");
    }

    @Test
    void id_writesJsonWhenAsked() {
        assertThat(semel("id", "seq10", "--json", "-n", "2").out())
                .isEqualTo("{\"id\":\"0000000001\"}\n{\"id\":\"0000000002\"}\n");
    }

    @Test
    void id_reportsAnExhaustedScheme() {
        Result result = semel("id", "seq10", "--from", "9999999999", "-n", "2");
        assertThat(result.out()).isEqualTo("9999999999\n");
        assertOneLine(result, 1, "semel id: seq10 has no id for number 10000000000");
    }

    @Test
    void list_showsEveryScheme() {
        assertThat(semel("id", "list").lines()).hasSize(IdSchemes.all().size() + 1);
        assertThat(semel("id", "list", "--json").lines())
                .hasSize(IdSchemes.all().size())
                .anySatisfy(line -> assertThat(line)
                        .startsWith("{\"scheme\":\"tid62\",\"length\":17,")
                        .contains("\"sortable\":true,\"randomBits\":64,\"lifetime\":\"2020 to 2156\""));
    }

    @Test
    void kinds_showsTheRegistry() {
        assertThat(semel("id", "kinds").lines())
                .hasSize(Apps.idKinds().size() + 1)
                .anySatisfy(line -> assertThat(line).startsWith("KIND").contains("SCHEME", "MINTED BY", "LIFETIME"))
                .anySatisfy(line -> assertThat(line).startsWith("tournamentId").contains("uuid4 or text", "platform"));
        assertThat(semel("id", "kinds", "--json").lines())
                .hasSize(Apps.idKinds().size())
                .contains("{\"kind\":\"clientMsgId\",\"scheme\":\"uuid4\",\"mintedBy\":\"client\","
                        + "\"lifetime\":\"60 seconds\",\"purpose\":\"an action of a player, once\"}");
    }

    @Test
    void inspect_showsWhatAnIdHolds() {
        assertThat(semel("id", "inspect", "--json", "04XhXYx9xCjfPYf32").out())
                .isEqualTo("{\"id\":\"04XhXYx9xCjfPYf32\",\"schemes\":[{\"scheme\":\"tid62\","
                        + "\"time\":\"2026-01-01T00:00:00Z\",\"random\":\"0000000000000000\"}]}\n");
        assertThat(semel("id", "inspect", "--json", "user-0000000042").out())
                .contains("{\"scheme\":\"seq10\",\"prefix\":\"user\",\"number\":42}");
        assertThat(semel("id", "inspect", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
                        .out())
                .contains("uuid7  time 2022-02-22T19:22:22Z, version 7");
    }

    @Test
    void inspect_showsWhatIdsOfOtherLibrariesHold() {
        assertThat(semel("id", "inspect", "--json", "0ujtsYcgvSTl8PAuAdqWYSMnLOv")
                        .out())
                .contains("{\"scheme\":\"ksuid\",\"time\":\"2017-10-10T04:00:47Z\","
                        + "\"random\":\"b5a1cd34b5f99d1154fb6853345c9735\"}");
        assertThat(semel("id", "inspect", "user-0AXS476XC0Y8Z").out())
                .contains("tsid  after user-: time 2022-12-22T17:53:17.035Z, random 00791f");
        assertThat(semel("id", "inspect", "V1StGXR8_Z5jdHi6B-myT").out()).contains("nanoid  random 1");
    }

    @Test
    void inspect_knowsATypeidByItself() {
        assertThat(semel("id", "inspect", "--json", "pre_fix_01h455vb4pex5vsknk084sn02q")
                        .out())
                .isEqualTo("{\"id\":\"pre_fix_01h455vb4pex5vsknk084sn02q\",\"schemes\":[{\"scheme\":\"typeid\","
                        + "\"prefix\":\"pre_fix\",\"time\":\"2023-06-30T03:34:18.518Z\",\"version\":7,"
                        + "\"uuid\":\"01890a5d-ac96-774b-bcce-b302099a8057\",\"random\":\"1d2fcceb302099a8057\"}]}\n");
        assertThat(semel("id", "inspect", "user_01h455vb4pex5vsknk084sn02q").out())
                .contains("  typeid  after user_: time 2023-06-30T03:34:18.518Z, version 7, random");
        assertThat(semel("id", "inspect", "--json", "00000000000000000000000000")
                        .out())
                .contains("{\"scheme\":\"typeid\",\"uuid\":\"00000000-0000-0000-0000-000000000000\"}");
    }

    @ParameterizedTest
    @CsvSource({
        "prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz, exceeds 128 bits (at 0); expected typeid: 26 of",
        "prefix_01h455vb4pex5vsknk084sn02u, has a 'u' (at 25); expected typeid: 26 of",
        "aWgEPTl1tmebfsQzFP4bxwgy80W, exceeds 160 bits; expected ksuid: 27 of",
        "G000000000000, exceeds 64 bits (at 0); expected tsid: 13 of",
        "017F22e2-79b0-7cc3-98c4-dc0c0c07398f, has a 'F' (at 3); expected uuid4: 36 characters"
    })
    void inspect_reportsTheFaultOfTheSchemeThatWasMeant(String id, String fault) {
        assertOneLine(semel("id", "inspect", id), 1, fault);
    }

    @Test
    void inspect_namesEverySchemeThatFits() {
        // a prefix of four before a tid62 has the length of a uuid464
        String both = "user-0" + IdSchemes.TID62.mint().substring(1);
        String json = semel("id", "inspect", "--json", both).out();
        assertThat(json).contains("{\"scheme\":\"tid62\",\"prefix\":\"user\"");
        assertThat(json.contains("\"uuid464\"")).isEqualTo(IdSchemes.UUID464.isValid(both));
        assertThat(semel("id", "inspect", "--json", "0000001").out()).contains("\"seq36\"");
    }

    @Test
    void inspect_takesIdsThatBeginWithAHyphen() {
        String id = "-Q6EAOKbQdSnFkRmVUQAAA";
        assertThat(IdSchemes.UUID464.isValid(id)).isTrue();
        assertThat(semel("id", "inspect", id).out()).contains("uuid464");
        assertThat(semel("id", "inspect", "-").status()).isZero();
        assertThat(semel("id", "inspect", "--", "-h").err()).contains("id \"-h\" has 2 characters");
        assertThat(semel("id", "inspect", "--nothing").err())
                .isEqualTo("semel id inspect: Unknown option '--nothing'. See './semel id inspect --help'.\n");
    }

    @Test
    void inspect_readsLinesFromStandardInput() {
        Result result = semelReading("0000000001\r\n\n0000000002", "id", "inspect", "--json", "-");
        assertThat(result.lines()).hasSize(3);
        assertThat(result.lines().get(0)).startsWith("{\"id\":\"0000000001\"");
        assertThat(result.lines().get(1)).isEqualTo("{\"id\":\"\",\"schemes\":[]}");
        assertOneLine(result, 1, "id \"\" is empty");
    }

    @Test
    void inspect_takesLinesForIdsAndNeverForOptionsOrFiles() {
        Result lines = semelReading("--json\n-\n@pom.xml\n", "id", "inspect", "--json", "-");
        assertThat(lines.lines()).hasSize(3).allMatch(line -> line.endsWith("\"schemes\":[]}"));
        assertThat(semel("id", "inspect", "--json", "@pom.xml").out())
                .isEqualTo("{\"id\":\"@pom.xml\",\"schemes\":[]}\n");
    }

    @Test
    void inspect_respondsToEachLineBeforeTheNextIsSent() throws Exception {
        PipedOutputStream typed = new PipedOutputStream();
        PipedInputStream in = new PipedInputStream(typed);
        PipedInputStream printed = new PipedInputStream();
        PipedOutputStream out = new PipedOutputStream(printed);
        CompletableFuture<Integer> status =
                CompletableFuture.supplyAsync(() -> Semel.run(in, out, System.err, "id", "inspect", "--json", "-"));
        for (String id : List.of("0000000001", "0000000002")) {
            typed.write((id + "\n").getBytes(UTF_8));
            typed.flush();
            StringBuilder line = new StringBuilder();
            for (int c = printed.read(); c != '\n'; c = printed.read()) {
                line.append((char) c);
            }
            assertThat(line).contains(id);
        }
        typed.close();
        assertThat(status.get()).isZero();
    }

    @Test
    void inspect_outlivesALineWithoutEnd() {
        InputStream endless = new InputStream() {
            private long left = 50_000_000;

            @Override
            public int read() {
                return left-- > 0 ? 'x' : -1;
            }

            @Override
            public int read(byte[] buffer, int from, int length) {
                if (left <= 0) {
                    return -1;
                }
                Arrays.fill(buffer, from, from + length, (byte) 'x');
                left -= length;
                return length;
            }
        };
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int status = Semel.run(
                endless,
                out,
                new PrintStream(new ByteArrayOutputStream(), true, UTF_8),
                "id",
                "inspect",
                "--json",
                "-");
        assertThat(status).isEqualTo(1);
        assertThat(out.size()).isBetween(Lines.LONGEST, Lines.LONGEST + 100);
    }

    @Test
    void inspect_reportsFaultPositionAndExpectation() {
        assertOneLine(
                semel("id", "inspect", "123e4567-e89b-12d3-a456-426614174000"),
                1,
                "has version 1 (at 14); expected uuid4: 36 characters");
        assertOneLine(semel("id", "inspect", "user-04XhXYx9xCjfPYf3!"), 1, "has a '!' (at 16); expected tid62: 17 of");
        assertOneLine(semel("id", "inspect", "foo"), 1, "has 3 characters", "17 for tid62");
        assertOneLine(semel("id", "inspect", "x"), 1, "has 1 character;");
        Result json = semel("id", "inspect", "--json", "foo");
        assertThat(json.out()).isEqualTo("{\"id\":\"foo\",\"schemes\":[]}\n");
        assertOneLine(json, 1, "foo");
    }

    @Test
    void hostileText_movesNoCursorAndBreaksNoLine() {
        Result result = semel("id", "inspect", "--json", "\u001b[2J\n\ud800\u202e\"");
        assertThat(result.out()).isEqualTo("{\"id\":\"\\u001B[2J\\n\\uD800\\u202E\\\"\",\"schemes\":[]}\n");
        assertOneLine(result, 1, "\\u001b[2J\\u000a\\ud800\\u202e\\\"");
        assertOneLine(semel("id", "tid62", "\u001b[2J\nx"), 2, "\\u001b[2J\\u000ax");
        assertOneLine(semel("id", "tid62", "a\u202eb\u2028c"), 2, "a\\u202eb\\u2028c");
        assertThat(semel("id", "inspect", "\u001b[2J").err()).doesNotContain("\u001b");
    }

    @Test
    void check_showsPartsAndPrefixes() {
        assertThat(semel("key", "check", "usr_{user:uuid4s}_tag_{tag:uuid4s}").out())
                .contains("Every key can be split into its parts. It has 73 characters.", "usr_{user}_tag_");
        assertThat(semel("key", "check", "--json", "{a:tid62}").out())
                .isEqualTo(
                        "{\"template\":\"{a:tid62}\",\"splittable\":true,\"minLength\":17,\"maxLength\":17,\"parts\":"
                                + "[{\"name\":\"a\",\"type\":\"tid62\",\"expected\":\"17 of 0-9A-Za-z, at most 1f2SI9UJPXvb7vdJ1\"}],"
                                + "\"prefixes\":[\"\"]}\n");
    }

    @Test
    void check_rejectsWhatCannotBeSplit() {
        Result result = semel("key", "check", "--json", "{a}-{b}");
        assertThat(result.out())
                .startsWith("{\"template\":\"{a}-{b}\",\"splittable\":false,\"problem\":\"cannot be split back");
        assertOneLine(result, 1, "a may itself hold '-'", "expected a separator");
        assertOneLine(semel("key", "check", "{a"), 1, "does not close it");
    }

    @Test
    void parse_splitsAKey() {
        assertThat(semel("key", "parse", "{prefix:word}-{id:seq36}", "user-0000001")
                        .out())
                .isEqualTo("prefix  user\nid      0000001\n");
        assertThat(semel("key", "parse", "--json", "{prefix:word}-{id:seq36}", "user-0000001")
                        .out())
                .isEqualTo("{\"key\":\"user-0000001\",\"parts\":{\"prefix\":\"user\",\"id\":\"0000001\"}}\n");
        assertThat(semel("key", "parse", "{x}", "-abc").out()).isEqualTo("x  -abc\n");
        assertThat(semel("key", "parse", "{x}", "-habc").out()).isEqualTo("x  -habc\n");
        assertThat(semel("key", "check", "-{x}").status()).isZero();
        assertOneLine(
                semel("key", "parse", "usr_{user:uuid4s}", "usr_b068e9ee1422edf7878440ab8b6"),
                1,
                "user \"b068e9ee1422edf7878440ab8b6\" has 27 characters (at 4); expected 32 lower-case hex digits");
    }

    @Test
    void fingerprint_isTheHashOfTheCanonicalText() {
        Result result = semelReading(" { \"b\": 2.0, \"a\": \"\\u00e9\" }\n", "fingerprint", "-");
        assertThat(result).isEqualTo(semelReading("{\"a\":\"\u00e9\",\"b\":2}", "fingerprint", "-"));
        assertThat(result.out()).isEqualTo(Fingerprint.ofJson("{\"a\":\"\u00e9\",\"b\":2}") + "\n");
        assertThat(result.status()).isZero();
    }

    @Test
    void fingerprint_printsExactlyTheCanonicalBytesWhenAsked() {
        Result result = semelReading(" { \"b\": 2.0, \"a\": \"\\ud83d\\ude00\" }\n", "fingerprint", "--canonical", "-");
        assertThat(result).isEqualTo(new Result(0, "{\"a\":\"\ud83d\ude00\",\"b\":2}", ""));
    }

    @Test
    void fingerprint_readsAFile(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("payload.json"), "[1.0]");
        assertThat(semel("fingerprint", "--canonical", file.toString()).out()).isEqualTo("[1]");
        assertThat(semel("fingerprint", file.toString()).lines())
                .containsExactly(Fingerprint.ofJson("[1]").hex());
    }

    @Test
    void fingerprint_reportsFaultAndPosition() {
        Result result = semelReading("{\"a\":1,\n \"a\":2}", "fingerprint", "-");
        assertOneLine(result, 1, "semel fingerprint: line 2, column 2 (byte 9): duplicate member \"a\"");
        assertThat(result.out()).isEmpty();
        assertOneLine(semelReading("", "fingerprint", "--canonical", "-"), 1, "expected a value, but the text ends");
        assertOneLine(semelReading("\u001b[2J", "fingerprint", "-"), 1, "found byte 0x1b");
    }

    @Test
    void fingerprint_reportsWhyAFileCannotBeRead(@TempDir Path folder) {
        String missing = folder.resolve("missing.json").toString();
        assertOneLine(
                semel("fingerprint", missing), 1, "Cannot read '" + missing + "': there is no such file or folder");
        assertOneLine(semel("fingerprint", folder.toString()), 1, "Cannot read '" + folder + "': Is a directory");
        assertOneLine(semel("fingerprint", "a\0b"), 2, "FILE must be the name of a file, not 'a\\u0000b'.");
    }

    @Test
    void fingerprint_readsNoMoreThanTheLimit() {
        AtomicLong read = new AtomicLong();
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                read.incrementAndGet();
                return ' ';
            }

            @Override
            public int read(byte[] buffer, int from, int length) {
                Arrays.fill(buffer, from, from + length, (byte) ' ');
                read.addAndGet(length);
                return length;
            }
        };
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = Semel.run(
                endless, OutputStream.nullOutputStream(), new PrintStream(err, true, UTF_8), "fingerprint", "-");
        assertOneLine(new Result(status, "", err.toString(UTF_8)), 1, "longer than 16777216 bytes");
        assertThat(read).hasValue(Json.MOST_BYTES + 1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nothing",
                "id",
                "id nothing",
                "id tid62 -n 0",
                "id tid62 -n -1",
                "id tid62 -n x",
                "id tid62 -n 99999999999999999999",
                "id --json list",
                "id -n 5 list",
                "id tid62 list",
                "id tid62 inspect 0000001",
                "id tid62 -n",
                "id tid62 --prefix a-b",
                "id tid62 --from 1",
                "id seq10 --from -1",
                "id tid62 ulid",
                "id tid62 --nothing",
                "id list more",
                "id kinds more",
                "id inspect",
                "key",
                "key check",
                "key check a b",
                "key parse {a}",
                "key parse {a} b c",
                "fingerprint",
                "fingerprint a b",
                "fingerprint --nothing -",
                "completion x"
            })
    void wrongUse_isOneLineThatNamesTheHelp(String arguments) {
        Result result = semel(arguments.split(" "));
        assertThat(result.out()).isEmpty();
        assertOneLine(result, 2, " See './semel", "--help'.");
    }

    @Test
    void stack_isShownOnlyWhenAskedFor() {
        assertThat(semel("key", "check", "{a").err().lines()).hasSize(1);
        assertThat(semel("key", "check", "{a", "--verbose").err()).contains("\tat dev.semel.key.");
    }

    @Test
    void completion_knowsCommandsAndSchemes() {
        assertThat(semel("completion").out()).contains("complete -F _complete_semel", "inspect", "uuid464");
    }

    @Test
    void version_isPrinted() {
        assertThat(semel("--version").out()).startsWith("semel ");
    }

    @Test
    void closedPipe_endsTheCommandQuietly() {
        Result result = writingTo("Broken pipe", "id", "tid62", "-n", "1000000000");
        assertThat(result.status()).isZero();
        assertThat(result.err()).isEmpty();
    }

    @Test
    void optionsOfAllCommands_goBeforeAndBehind() {
        assertThat(semel("--verbose", "id", "--verbose", "seq10", "-n2").lines())
                .hasSize(2);
        assertOneLine(semel("id", "--json", "list"), 2, "--json must follow list.");
        assertOneLine(semel("id", "tid62", "-n", "x"), 2, "-n must be a whole number, not 'x'.");
    }

    @Test
    void fullDisk_isAFailureInOneLine() {
        assertOneLine(writingTo("No space left on device", "--help"), 1, "No space left on device");
        assertOneLine(writingTo("No space left on device", "--version"), 1, "No space left on device");
        assertOneLine(
                writingTo("No space left on device", "id", "tid62", "-n", "100000"), 1, "No space left on device");
        assertOneLine(writingTo("No space left on device", "id", "list"), 1, "No space left on device");
    }

    private static Result writingTo(String failure, String... arguments) {
        OutputStream broken = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException(failure);
            }
        };
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = Semel.run(InputStream.nullInputStream(), broken, new PrintStream(err, true, UTF_8), arguments);
        return new Result(status, "", err.toString(UTF_8));
    }
}
