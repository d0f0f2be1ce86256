package dev.semel.server.cli;

import static dev.semel.server.cli.CommandLineFixture.semel;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.ServerFixture;
import dev.semel.server.cli.CommandLineFixture.Result;
import dev.semel.server.log.Log;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.event.Level;

/** Sends the entries of an outbox to a server in this process. */
class OutboxRunTest {

    @TempDir
    Path folder;

    private ServerFixture server;
    private String url = "";

    @BeforeEach
    void startServer() {
        server = ServerFixture.onMemory();
        url = "http://localhost:" + server.server().port();
    }

    @AfterEach
    void stopServer() {
        server.close();
    }

    @AfterAll
    static void resetLog() {
        Log.setLevel(Level.INFO);
    }

    private Result outbox(String command, String... arguments) {
        List<String> all = new ArrayList<>(List.of("outbox", command, "--store", "rocksdb:" + folder.resolve("queue")));
        all.addAll(List.of(arguments));
        return semel(all);
    }

    private Result run(String... arguments) {
        List<String> all = new ArrayList<>(List.of("--to", url, "--until-empty"));
        all.addAll(List.of(arguments));
        return outbox("run", all.toArray(String[]::new));
    }

    private String add(String lane, String json) {
        Result added = outbox("add", "--endpoint=/v1/feed/posts", "--lane", lane, "--data", json);
        assertThat(added.err()).isEmpty();
        return added.out().strip();
    }

    private List<String> posts() {
        List<String> posts = new ArrayList<>();
        server.as("ann")
                .get("/v1/feed/posts")
                .json()
                .get("items")
                .forEach(post -> posts.add(0, post.get("text").asString()));
        return posts;
    }

    @Test
    void entryThatFails_isListed_stopsItsLane_andCanBeRetriedOrDiscarded() {
        add("one", "{\"text\":\"before\"}");
        String failed = add("one", "{\"txt\":\"typo\"}");
        add("one", "{\"text\":\"behind\"}");
        add("two", "{\"text\":\"other\"}");

        Result first = run("--dev-user=ann");
        assertThat(first.status()).isEqualTo(1);
        assertThat(first.out().lines())
                .hasSize(3)
                .startsWith("Confirmed 2 entries")
                .last()
                .asString()
                .startsWith(failed + "  failed  one ")
                .contains("status 400");
        assertThat(first.err())
                .isEqualTo("semel outbox run: Failed entries: 1. Entries behind them in their lanes: 1."
                        + " See './semel outbox show ID', then retry or discard them\n");
        assertThat(posts()).containsExactlyInAnyOrder("before", "other");
        assertThat(outbox("show", failed).out()).contains("status           failed\n", "response         400 ");
        assertThat(outbox("show", failed, "--json").out()).contains("\"status\":\"failed\"", "\"lastError\":\"");

        assertThat(outbox("retry", failed).out()).isEqualTo("Retried 1 entry\n");
        assertThat(outbox("list", "--status=failed").out()).isEmpty();
        Result second = run("--dev-user=ann");
        assertThat(second.status()).isEqualTo(1);
        assertThat(second.out()).startsWith("Confirmed 0 entries\n");

        assertThat(outbox("retry", "--all").out()).isEqualTo("Retried 1 entry\n");
        assertThat(outbox("discard", failed).out()).isEqualTo("Discarded " + failed + "\n");
        assertThat(run("--dev-user=ann")).isEqualTo(new Result(0, "Confirmed 1 entry\n", ""));
        assertThat(posts())
                .containsExactlyInAnyOrder("before", "other", "behind")
                .endsWith("behind");
    }

    @Test
    void confirmedEntry_canBePurgedButNotRetriedOrDiscarded() {
        String id = add("one", "{\"text\":\"a\"}");
        assertThat(run("--dev-user=ann").status()).isZero();
        assertThat(outbox("discard", id).err())
                .isEqualTo("semel outbox discard: The entry " + id + " cannot be discarded: it is confirmed\n");
        assertThat(outbox("retry", id).err())
                .isEqualTo("semel outbox retry: The entry " + id + " has not failed: it is confirmed\n");
        assertThat(outbox("purge", "--older-than=1h").out()).isEqualTo("Purged 0 entries\n");
        assertThat(outbox("purge").out()).isEqualTo("Purged 1 entry\n");
        assertThat(outbox("list").out()).isEmpty();
    }

    @Test
    void tokenFile_isUsed() throws Exception {
        add("one", "{\"text\":\"by file\"}");
        Path token = Files.writeString(folder.resolve("token"), server.token("bob") + "\n");
        assertThat(run("--token-file=" + token)).isEqualTo(new Result(0, "Confirmed 1 entry\n", ""));
        assertThat(server.as("ann")
                        .get("/v1/feed/posts")
                        .json()
                        .get("items")
                        .get(0)
                        .get("author")
                        .asString())
                .isEqualTo("bob");
    }

    @Test
    void tokenFileThatCannotBeUsed_isReportedAtOnce() throws Exception {
        add("one", "{\"text\":\"a\"}");
        assertThat(run("--token-file=none"))
                .isEqualTo(new Result(
                        1,
                        "",
                        "semel outbox run: Cannot read the token from 'none': there is no such file or folder\n"));
        Path empty = Files.createFile(folder.resolve("empty"));
        assertThat(run("--token-file=" + empty).err())
                .isEqualTo("semel outbox run: The file '" + empty
                        + "' does not hold a token: one line of ASCII characters\n");
    }

    @Test
    void entryWithoutAToken_isGivenUpAfterTheLimit() {
        add("one", "{\"text\":\"a\"}");
        Result result = run("--give-up-after=1");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).contains("  failed  one ");
    }

    /** The media type proves that the response comes from the API, so its refusal is final. Semel's own proof is not there. */
    @Test
    void otherApi_isTrustedByItsProof() {
        outbox("add", "--endpoint=/health/live");
        Result result = run("--dev-user=ann", "--proof=content-type:application/problem+json", "--give-up-after=2");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).contains("rejected: status 405");
    }

    @Test
    void emptyOutbox_endsAtOnce() {
        String id = add("one", "{\"text\":\"a\"}");
        outbox("discard", id);
        assertThat(run("--dev-user=ann")).isEqualTo(new Result(0, "Confirmed 0 entries\n", ""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--until-empty|--to is missing: the address of a server such as http://localhost:8080.",
                "--to ftp://h|--to must be the address of a server such as http://localhost:8080, not 'ftp://h'.",
                "--to http://|--to must be the address of a server such as http://localhost:8080, not 'http://'.",
                "--to localhost:80|--to must be the address of a server such as http://localhost:8080, not 'localhost:80'.",
                "--to http://h/api|--to must be the address of a server such as http://localhost:8080, not 'http://h/api'.",
                "--to http://a@h|--to must be the address of a server such as http://localhost:8080, not 'http://a@h'.",
                "--to http://h --dev-user a --token-file b|--dev-user and --token-file cannot be given together.",
                "--to http://h --parallel 0|--parallel must be a whole number from 1 to 1000, not '0'.",
                "--to http://h --timeout 5|--timeout must be a time such as 24h (a whole number with ms, s, m, h or d, at most"
                        + " 100 years), not '5'.",
                "--to http://h --give-up-after 0|--give-up-after must be a number of attempts such as 20, or an age such as 7d,"
                        + " not '0'.",
                "--to http://h --give-up-after soon|--give-up-after must be a number of attempts such as 20, or an age such as 7d,"
                        + " not 'soon'.",
                "--to http://h --if-expired no|--if-expired must be fail or send, not 'no'.",
                "--to http://h --proof x|--proof must be header:NAME or content-type:TYPE, not 'x'.",
                "--to http://h --proof header:|--proof must be header:NAME or content-type:TYPE, not 'header:'.",
                "--to http://h --utnil-empty|Unknown option '--utnil-empty'. Did you mean '--until-empty'?",
            })
    void wrongUse_isDescribed(String arguments, String description) {
        Result result = outbox("run", arguments.split(" ", -1));
        assertThat(result.err()).isEqualTo("semel outbox run: " + description + " See './semel outbox run --help'.\n");
        assertThat(result.status()).isEqualTo(2);
    }
}
