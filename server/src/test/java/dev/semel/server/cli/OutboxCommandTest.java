package dev.semel.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.outbox.Payload;
import dev.semel.rocksdb.RocksDbSettings;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.server.log.Log;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.event.Level;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The commands that need no server. */
class OutboxCommandTest {

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final String ID = "[0-9a-z]{11}-[0-9A-Za-z]{8}";

    @TempDir
    Path folder;

    private String store = "";

    private record Result(int status, String out, String err) {
        List<String> lines() {
            return out.lines().toList();
        }

        String line() {
            assertThat(err).isEmpty();
            assertThat(status).isZero();
            assertThat(lines()).hasSize(1);
            return lines().get(0);
        }
    }

    @BeforeEach
    void nameStore() {
        store = "rocksdb:" + folder.resolve("queue");
    }

    @AfterAll
    static void resetLog() {
        Log.setLevel(Level.INFO);
    }

    private Result outbox(String command, String... arguments) {
        return outboxReading(new byte[0], command, arguments);
    }

    private Result outboxReading(byte[] input, String command, String... arguments) {
        List<String> all = new ArrayList<>(List.of("outbox", command, "--store", store));
        all.addAll(List.of(arguments));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = Semel.run(
                new ByteArrayInputStream(input), out, new PrintStream(err, true, UTF_8), all.toArray(String[]::new));
        return new Result(status, out.toString(UTF_8), err.toString(UTF_8));
    }

    private String add(String lane, String json) {
        return outbox("add", "--endpoint", "/v1/feed/posts", "--lane", lane, "--data", json)
                .line();
    }

    private List<JsonNode> entries(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--json");
        Result result = outbox("list", all.toArray(String[]::new));
        assertThat(result.err).isEmpty();
        return result.lines().stream().map(MAPPER::readTree).toList();
    }

    private static void assertFails(Result result, int status, String message) {
        assertThat(result.err).isEqualTo("semel outbox " + message + "\n");
        assertThat(result.status).isEqualTo(status);
    }

    private void assertWrongUse(String command, String message, String... arguments) {
        Result result = outbox(command, arguments);
        assertFails(result, 2, command + ": " + message + " See './semel outbox " + command + " --help'.");
        assertThat(result.out).isEmpty();
        assertThat(folder.resolve("queue")).doesNotExist();
    }

    @Test
    void addedRequest_isListedWithAllItsFields() {
        String id = outbox(
                        "add",
                        "--endpoint=/v1/feed/posts?x=1",
                        "--method=put",
                        "--operation=create_post",
                        "--lane=ann",
                        "--data={\"text\": \"grüße\"}")
                .line();
        assertThat(id).matches(ID);
        JsonNode entry = entries().get(0);
        assertThat(entry.propertyNames())
                .containsExactly(
                        "id",
                        "idempotencyKey",
                        "clientTxId",
                        "operation",
                        "method",
                        "endpoint",
                        "contentType",
                        "payload",
                        "lane",
                        "status",
                        "retryCount",
                        "nextRetryAt",
                        "createdAt");
        assertThat(entry.get("id").asString()).isEqualTo(id);
        assertThat(entry.get("method").asString()).isEqualTo("PUT");
        assertThat(entry.get("endpoint").asString()).isEqualTo("/v1/feed/posts?x=1");
        assertThat(entry.get("operation").asString()).isEqualTo("create_post");
        assertThat(entry.get("lane").asString()).isEqualTo("ann");
        assertThat(entry.get("status").asString()).isEqualTo("pending");
        assertThat(entry.get("payload").toString()).isEqualTo("{\"text\":\"grüße\"}");
        assertThat(outbox("list").lines()).hasSize(2).last().asString().startsWith(id + "  pending  ann ");
        assertThat(outbox("show", id, "--json").line())
                .isEqualTo(outbox("list", "--json").line());
        assertThat(outbox("show", id).out)
                .contains("request          PUT /v1/feed/posts?x=1\n", "payload          {\"text\": \"grüße\"}\n");
    }

    @Test
    void requestWithoutData_hasNoPayload() {
        outbox("add", "--endpoint=/v1/feed/posts/1", "--method=DELETE").line();
        assertThat(entries().get(0).get("payload").isNull()).isTrue();
        assertThat(entries().get(0).get("operation").asString()).isEqualTo("delete");
    }

    @Test
    void data_isReadFromAFileOrStandardInput() throws Exception {
        Path file = Files.writeString(folder.resolve("body.json"), "[1.50]");
        assertThat(outbox("add", "--endpoint=/a", "--data=@" + file).line()).matches(ID);
        assertThat(outboxReading("{\"n\":2}\n".getBytes(UTF_8), "add", "--endpoint=/a", "--data", "-")
                        .line())
                .matches(ID);
        assertThat(outbox("list", "--json").lines()).element(0).asString().contains("\"payload\":[1.50]");
        assertThat(entries().get(1).get("payload").toString()).isEqualTo("{\"n\":2}");
    }

    @Test
    void dataThatCannotBeSent_isNamed() throws Exception {
        Path large = Files.writeString(folder.resolve("large"), "\"" + "x".repeat(Payload.MOST_BYTES) + "\"");
        Path broken = Files.write(folder.resolve("broken"), new byte[] {'"', (byte) 0xff, '"'});
        assertFails(
                outbox("add", "--endpoint=/a", "--data=@" + large),
                1,
                "add: The payload in '" + large + "' has more than 1048576 bytes");
        assertFails(
                outbox("add", "--endpoint=/a", "--data=@none"),
                1,
                "add: Cannot read 'none': there is no such file or folder");
        assertThat(outbox("add", "--endpoint=/a", "--data=@" + broken).err)
                .startsWith("semel outbox add: The payload in '" + broken + "' must be JSON: line 1, column 2 ");
        assertThat(outboxReading("{".getBytes(UTF_8), "add", "--endpoint=/a", "--data=-").err)
                .startsWith("semel outbox add: The payload in standard input must be JSON: line 1, column 2 ");
        assertThat(folder.resolve("queue")).doesNotExist();
    }

    @Test
    void requestThatIsMalformed_isRejectedAndNoStoreIsCreated() {
        assertWrongUse("add", "--endpoint is missing: a path such as /v1/feed/posts, or a URL.");
        assertWrongUse(
                "add",
                "The lane must have 1 to 255 characters, not 10240.",
                "--endpoint=/a",
                "--lane=" + "l".repeat(10240));
        assertWrongUse(
                "add", "The method must be POST, PUT, PATCH or DELETE, not 'GET'.", "--endpoint=/a", "--method=GET");
        assertWrongUse(
                "add",
                "--data must be JSON: line 1, column 2 (byte 1): expected a name or }, but the text ends.",
                "--endpoint=/a",
                "--data={");
        assertWrongUse("add", "--lane cannot be given with --ndjson, whose lines hold it.", "--ndjson=-", "--lane=ann");
        assertWrongUse(
                "add",
                "--name must be 1 to 32 lower-case letters, digits and underscores, not 'My outbox'.",
                "--endpoint=/a",
                "--name=My outbox");
        assertThat(outbox("add", "--endpoint=no path").err)
                .startsWith("semel outbox add: The endpoint must be ")
                .contains("no path");
    }

    @Test
    void lines_areAddedInOrder() {
        StringBuilder lines = new StringBuilder();
        IntStream.range(0, 1000)
                .forEach(i -> lines.append("{\"endpoint\":\"/v1/feed/posts\",\"lane\":\"l")
                        .append(i % 3)
                        .append("\",\"payload\":{\"n\":")
                        .append(i)
                        .append("}}\n")
                        .append(i % 100 == 0 ? "\r\n" : ""));
        Result added = outboxReading(lines.toString().getBytes(UTF_8), "add", "--ndjson", "-");
        assertThat(added.err).isEmpty();
        assertThat(added.status).isZero();
        assertThat(added.lines()).hasSize(1000).allMatch(id -> id.matches(ID)).doesNotHaveDuplicates();
        List<JsonNode> entries = entries();
        assertThat(entries).extracting(entry -> entry.get("id").asString()).containsExactlyElementsOf(added.lines());
        assertThat(entries)
                .extracting(entry -> entry.get("payload").get("n").asInt())
                .containsExactlyElementsOf(IntStream.range(0, 1000).boxed().toList());
    }

    @Test
    void lineThatIsInvalid_endsTheImportAfterThoseBeforeIt() throws Exception {
        String good = "{\"endpoint\":\"/a\"}\n";
        assertImportEnds(good + good + "\n{\"endpoint\":\"/a\",}\n" + good, 2, "Line 4: column 18: ");
        assertImportEnds(
                good + "{\"endpoint\":\"/a\",\"lnae\":\"x\"}\n", 1, "Line 2: Unknown member 'lnae'. Did you mean");
        assertImportEnds("{}", 0, "Line 1: endpoint is missing. 0 entries added\n");
        assertImportEnds("[]", 0, "Line 1: A line must be a JSON object. 0 entries added\n");
        assertImportEnds(good + "{\"endpoint\":7}", 1, "Line 2: endpoint must be a text. 1 entry added\n");
        assertImportEnds("{\"endpoint\":\"a b\"}", 0, "Line 1: The endpoint must be ");
        String large = "\"" + "x".repeat(Payload.MOST_BYTES) + "\"";
        assertImportEnds(
                good + "{\"endpoint\":\"/a\",\"payload\":" + large + "}",
                1,
                "Line 2: The payload has 1048578 bytes; the most is 1048576. 1 entry added\n");
        assertImportEnds(
                "{\"endpoint\":\"/a\",\"payload\":[" + large + "," + large + "]}",
                0,
                "Line 1: it has more than " + RequestImport.LONGEST_LINE + " bytes. 0 entries added\n");
        assertImportEnds(new byte[] {'{', '}', (byte) 0xc3, '\n'}, 0, "Line 1: it is not UTF-8. 0 entries added\n");
    }

    private void assertImportEnds(String input, int added, String message) {
        assertImportEnds(input.getBytes(UTF_8), added, message);
    }

    private void assertImportEnds(byte[] input, int added, String message) {
        int before = Files.exists(folder.resolve("queue")) ? entries().size() : 0;
        Result result = outboxReading(input, "add", "--ndjson", "-");
        assertThat(result.err).startsWith("semel outbox add: " + message).hasLineCount(1);
        assertThat(result.status).isEqualTo(1);
        assertThat(result.lines()).hasSize(added);
        assertThat(entries()).hasSize(before + added);
    }

    /** JSON may be nested up to 1,000 levels, and numbers have any length. */
    @Test
    void lineWithAnUnusualPayload_isKeptByteForByte() {
        String deep = "[".repeat(900) + "]".repeat(900);
        String number = "1" + "0".repeat(5000);
        String line = "{\"payload\": {\"d\" : " + deep + ", \"n\":" + number + "} ,\"endpoint\":\"/a\"}";
        outboxReading(line.getBytes(UTF_8), "add", "--ndjson", "-").line();
        assertThat(outbox("list", "--json").line())
                .contains("\"payload\":{\"d\" : " + deep + ", \"n\":" + number + "},");
    }

    @Test
    void fileOfLines_isImported() throws Exception {
        Path file = Files.writeString(folder.resolve("lines"), "{\"endpoint\":\"/a\"}\n{\"endpoint\":\"/b\"}");
        assertThat(outbox("add", "--ndjson=" + file).lines()).hasSize(2);
        assertFails(outbox("add", "--ndjson=none"), 1, "add: Cannot read 'none': there is no such file or folder");
        assertFails(outbox("add", "--ndjson=" + folder), 1, "add: Cannot read '" + folder + "': Is a directory");
    }

    @Test
    void list_selectsByStatusLaneAndNumber() {
        String first = add("ann", "1");
        String second = add("bob", "2");
        String third = add("ann", "3");
        assertThat(entries("--lane=ann"))
                .extracting(entry -> entry.get("id").asString())
                .containsExactly(first, third);
        assertThat(entries("--limit=2"))
                .extracting(entry -> entry.get("id").asString())
                .containsExactly(first, second);
        assertThat(entries("--status=pending", "--lane=bob")).hasSize(1);
        assertThat(entries("--status=failed")).isEmpty();
        assertThat(outbox("list", "--status=confirmed")).isEqualTo(new Result(0, "", ""));
        assertThat(outbox("list", "--status=open").err)
                .startsWith("semel outbox list: --status must be pending, failed or confirmed, not 'open'. See ");
        assertThat(outbox("list", "--limit=0").err)
                .startsWith("semel outbox list: --limit must be a whole number of 1 or more, not '0'. See ");
    }

    @Test
    void discardedEntry_isGone() {
        String id = add("ann", "1");
        String other = add("ann", "2");
        assertThat(outbox("discard", id).line()).isEqualTo("Discarded " + id);
        assertThat(entries()).extracting(entry -> entry.get("id").asString()).containsExactly(other);
        assertFails(outbox("discard", id), 1, "discard: There is no entry '" + id + "'");
        assertFails(outbox("show", id), 1, "show: There is no entry '" + id + "'");
        assertFails(outbox("show", "nonsense"), 1, "show: There is no entry 'nonsense'");
    }

    @Test
    void retryOfAnEntryThatHasNotFailed_isRejected() {
        String id = add("ann", "1");
        assertFails(outbox("retry", id), 1, "retry: The entry " + id + " has not failed: it is pending");
        assertFails(outbox("retry", "nonsense"), 1, "retry: There is no entry 'nonsense'");
        assertThat(outbox("retry", "--all").line()).isEqualTo("Retried 0 entries");
        assertThat(outbox("retry").err)
                .startsWith("semel outbox retry: ID is missing: the id of a failed entry, or --all. See ");
        assertThat(outbox("retry", id, "--all").err)
                .startsWith("semel outbox retry: ID cannot be given with --all. See ");
    }

    @Test
    void purge_keepsWhatIsNotConfirmed() {
        add("ann", "1");
        assertThat(outbox("purge").line()).isEqualTo("Purged 0 entries");
        assertThat(outbox("purge", "--older-than=7d").line()).isEqualTo("Purged 0 entries");
        assertThat(entries()).hasSize(1);
        assertThat(outbox("purge", "--older-than=week").err)
                .startsWith("semel outbox purge: --older-than must be a time such as 24h ");
    }

    @Test
    void outboxesOfAStore_areSeparate() {
        add("ann", "1");
        outbox("add", "--endpoint=/a", "--name=mail").line();
        assertThat(entries()).hasSize(1);
        assertThat(entries("--name=mail"))
                .extracting(e -> e.get("endpoint").asString())
                .containsExactly("/a");
    }

    @Test
    void folderWithoutAStore_isNotCreatedByCommandsThatRead() {
        for (String line :
                List.of("list", "show x", "retry --all", "discard x", "purge", "run --to http://localhost")) {
            List<String> words = List.of(line.split(" ", -1));
            assertFails(
                    outbox(words.get(0), words.subList(1, words.size()).toArray(String[]::new)),
                    1,
                    words.get(0) + ": There is no store in " + folder.resolve("queue") + ". 'outbox add' creates it.");
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void folderInUse_isReportedWithTheProcess() {
        add("ann", "1");
        try (RocksDbStore open =
                RocksDbStore.open(folder.resolve("queue"), RocksDbSettings.DEFAULTS, InstantSource.system())) {
            assertThat(open.clock()).isNotNull();
            for (String command : List.of("list", "purge", "add --endpoint=/a", "run --to=http://localhost")) {
                List<String> words = List.of(command.split(" ", -1));
                Result result =
                        outbox(words.get(0), words.subList(1, words.size()).toArray(String[]::new));
                assertThat(result.err)
                        .startsWith("semel outbox " + words.get(0) + ": The folder " + folder.resolve("queue")
                                + " is in use by process "
                                + ProcessHandle.current().pid() + " since ")
                        .hasLineCount(1);
                assertThat(result.status).isEqualTo(1);
            }
        }
    }

    @Test
    void store_mustOutlastTheProcess() {
        String forms = "rocksdb:FOLDER or postgres://USER:PASSWORD@HOST:PORT/DATABASE";
        store = "memory:";
        assertWrongUse(
                "add",
                "--store must be " + forms + ", not memory:, which is lost when the command ends.",
                "--endpoint=/a");
        assertWrongUse("list", "--store must be " + forms + ", not memory:, which is lost when the command ends.");
        store = "mysql:";
        assertWrongUse("list", "--store must be " + forms + ", not 'mysql:'.");
        assertThat(Semel.run(
                        new ByteArrayInputStream(new byte[0]),
                        new ByteArrayOutputStream(),
                        new PrintStream(new ByteArrayOutputStream(), true, UTF_8),
                        "outbox",
                        "list"))
                .isEqualTo(System.getenv("SEMEL_STORE") == null ? 2 : 1);
    }
}
