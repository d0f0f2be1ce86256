package dev.semel.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.DocumentCollection;
import dev.semel.document.Transactions;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.rocksdb.RocksDbSettings;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.server.apps.reputation.DocumentType;
import dev.semel.server.cli.CommandLineFixture.Result;
import dev.semel.store.Time;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class MigrateCommandTest {

    private static final String KEY = "usr_67e5504410b1426f9247bb680e5fe0c8_tag_b068e9ee14224edf8878440ab8b6c7d8";
    private static final String LINE = "{\"collection\":\"reputations\",\"key\":\""
            + KEY.replace("usr_", "USR=").replace("tag_", "TAG=") + "\",\"data\":{\"points\":1}}\n";

    @TempDir
    private Path temp;

    private Path file;
    private String to;

    @BeforeEach
    void write() throws IOException {
        file = Files.writeString(temp.resolve("old.ndjson"), LINE);
        to = "rocksdb:" + temp.resolve("data");
    }

    private Result migrate(String command, String... options) {
        List<String> arguments = new ArrayList<>(List.of("migrate", command));
        arguments.addAll(List.of(options));
        return CommandLineFixture.semel(arguments);
    }

    private static JsonNode json(Result result) {
        assertThat(result.out().lines()).hasSize(1);
        return new JsonMapper().readTree(result.out());
    }

    @Test
    void plan_writesNothing_andRunDoesWhatItSays() {
        Result plan = migrate("plan", "--from", file.toString(), "--to", to);
        assertThat(plan.status()).isZero();
        assertThat(plan.err()).isEmpty();
        assertThat(plan.out())
                .contains("Nothing was written", "read 1, 1 written, 0 merged, 0 left out", "-> reputations/" + KEY);
        assertThat(temp.resolve("data")).doesNotExist();

        Result run = migrate("run", "--from", file.toString(), "--to", to);
        assertThat(run.status()).isZero();
        assertThat(run.out()).contains("is complete", "read 1, 1 written, 0 merged, 0 left out");
        assertThat(migrate("verify", "--to", to).status()).isZero();
        assertThat(migrate("status", "--to", to).out()).contains("Migration 1 of " + file + ": complete");
        Result rollback = migrate("rollback", "--to", to);
        assertThat(rollback.status()).isZero();
        assertThat(rollback.out()).contains("is rolled back");
        assertThat(migrate("status", "--to", to).out()).contains(": rolled back");
        assertThat(migrate("verify", "--to", to))
                .isEqualTo(new Result(
                        1, "", "semel migrate verify: There is no migration in this store that is not rolled back\n"));
    }

    @Test
    void linesThatAreLeftOut_areReportedWithTheirReasons() throws IOException {
        Files.writeString(file, LINE + "poison\n" + LINE);
        String duplicate = KEY.replace("usr_", "USR=").replace("tag_", "TAG=");
        for (String command : List.of("plan", "run", "run")) {
            Result result = migrate(command, "--from", file.toString(), "--to", to);
            assertThat(result.status()).isEqualTo(1);
            assertThat(result.err()).isEmpty();
            assertThat(result.out())
                    .startsWith("Line 2: the line is not JSON: column 1: expected a value, found \"p\"\nLine 3, key '"
                            + duplicate + "': it has the same key as line 1, " + KEY + ", and no rule merges them\n");
            Result asJson = migrate(command, "--from", file.toString(), "--to", to, "--json");
            assertThat(asJson.status()).isEqualTo(1);
            JsonNode report = json(asJson);
            assertThat(report.get("read").asInt()).isEqualTo(3);
            assertThat(report.get("written").asInt()).isEqualTo(1);
            assertThat(report.get("merged").asInt()).isZero();
            assertThat(report.get("skipped")).hasSize(2);
            assertThat(report.get("skipped").get(0).get("line").asInt()).isEqualTo(2);
            assertThat(report.get("skipped").get(0).get("key").isNull()).isTrue();
            assertThat(report.get("skipped").get(1).get("key").asString()).isEqualTo(duplicate);
            assertThat(report.get("skipped").get(1).get("reason").asString()).contains("no rule merges them");
        }
        assertThat(json(migrate("verify", "--to", to, "--json")).get("failures").asInt())
                .isZero();
        JsonNode status = json(migrate("status", "--to", to, "--json"));
        assertThat(status.get("phase").asString()).isEqualTo("complete");
        assertThat(status.get("skipped").asInt()).isEqualTo(2);
    }

    @Test
    void rollback_listsWhatWasChangedSince() {
        migrate("run", "--from", file.toString(), "--to", to);
        try (RocksDbStore store = open()) {
            DocumentType.named("reputations")
                    .orElseThrow()
                    .documents()
                    .upsert(new Transactions(store, Time.system()), KEY, current -> Json.of("2"));
        }
        Result rollback = migrate("rollback", "--to", to);
        assertThat(rollback.status()).isEqualTo(1);
        assertThat(rollback.out()).isEqualTo("reputations/" + KEY + ": it was changed since, and has version 2\n");
        assertThat(rollback.err())
                .isEqualTo("semel migrate rollback: Migration 1 is not rolled back: 1 of its documents were changed"
                        + " since. Nothing was changed\n");
        Result verify = migrate("verify", "--to", to, "--json");
        assertThat(verify.status()).isZero();
        assertThat(json(verify).get("changed").asInt()).isEqualTo(1);
        assertThat(json(verify).get("differences").get(0).get("key").asString()).isEqualTo(KEY);
    }

    private RocksDbStore open() {
        return RocksDbStore.open(temp.resolve("data"), RocksDbSettings.DEFAULTS, Time.system());
    }

    @Test
    void standardInput_isMigrated() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int status = Semel.run(
                new ByteArrayInputStream(LINE.getBytes(UTF_8)),
                out,
                new PrintStream(new ByteArrayOutputStream(), true, UTF_8),
                "migrate",
                "run",
                "--from",
                "-",
                "--to",
                to);
        assertThat(status).isZero();
        assertThat(out.toString(UTF_8)).contains("Migration 1 of standard input is complete");
    }

    @Test
    void collection_isMigrated_withinAStoreAndIntoAnother() {
        try (RocksDbStore store = open()) {
            DocumentCollection own = DocumentCollection.of("own/votes", KeyTemplate.of("{id:text}"))
                    .ownedBy("ann");
            new Transactions(store, Time.system())
                    .run(tx ->
                            own.create(tx, "n1", Json.of("{\"owner\":\"ann\",\"tag\":\"golf\",\"target\":\"bob\"}")));
        }
        String other = "rocksdb:" + temp.resolve("other");
        for (String target : List.of(other, to)) {
            Result run = migrate("run", "--from", to, "--from-collection", "votes", "--to", target);
            assertThat(run.err()).isEmpty();
            assertThat(run.out()).contains("read 1, 1 written");
        }
        assertThat(migrate("run", "--from", to, "--from-collection", "notes", "--type", "votes", "--to", other))
                .isEqualTo(new Result(
                        1,
                        "",
                        "semel migrate run: The collection 'notes' of rocksdb:" + temp.resolve("data")
                                + " has no documents\n"));
    }

    @Test
    void storeThatIsInUse_isNamed() {
        migrate("run", "--from", file.toString(), "--to", to);
        try (RocksDbStore store = open()) {
            Result run = migrate("run", "--from", file.toString(), "--to", to);
            assertThat(store.isExclusive()).isTrue();
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err()).startsWith("semel migrate run: ").contains(temp.resolve("data") + " ");
            assertThat(run.err().lines()).hasSize(1);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "migrate|COMMAND is missing: plan, run, verify, rollback or status.",
                "migrate run --from a|--to is missing: rocksdb:FOLDER or postgres://USER:PASSWORD@HOST:PORT/DATABASE.",
                "migrate run --to rocksdb:x|--from is missing: a file, - or the URL of a store.",
                "migrate run --to rocksdb:x --from rocksdb:y|--from-collection is missing, which a store requires.",
                "migrate run --to rocksdb:x --from y --from-collection votes"
                        + "|--from-collection requires a store: --from must be its URL, not 'y'.",
                "migrate run --to rocksdb:x --from rocksdb:y --from-collection old"
                        + "|--type is missing: 'old' is none of users, tags, reputations and votes.",
                "migrate plan --to rocksdb:x --from y --merge latest"
                        + "|--merge must be newest, sum:FIELD or list, not 'latest'.",
                "migrate plan --to rocksdb:x --from y --map owner=data.user"
                        + "|--map must be user=data.owner,tag=data.tag,target=data.target or some of these parts,"
                        + " not 'owner=data.user'.",
                "migrate rollback --to rocksdb:x --migration -1"
                        + "|--migration must be the number of a migration, not '-1'.",
                "migrate status --to memory:|--to must be rocksdb:FOLDER or"
                        + " postgres://USER:PASSWORD@HOST:PORT/DATABASE, not memory:, which is lost when the command"
                        + " ends.",
            })
    void wrongOptions_areRejected(String command, String error) {
        Result result = CommandLineFixture.semel(command);
        assertThat(result.err()).contains(": " + error + " See './");
        assertThat(result.err().lines()).hasSize(1);
        assertThat(result.status()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({
        "verify, There is no store in nowhere",
        "rollback, There is no store in nowhere",
        "status, There is no store in nowhere",
    })
    void storeThatDoesNotExist_isReported(String command, String error) {
        assertThat(migrate(command, "--to", "rocksdb:nowhere"))
                .isEqualTo(new Result(1, "", "semel migrate " + command + ": " + error + "\n"));
    }

    @Test
    void fileThatDoesNotExist_isReported() {
        assertThat(migrate("run", "--from", "nowhere.ndjson", "--to", to).err())
                .isEqualTo("semel migrate run: Cannot read 'nowhere.ndjson': there is no such file or folder\n");
        assertThat(temp.resolve("data")).doesNotExist();
    }
}
