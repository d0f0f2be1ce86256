package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.TestSize;
import example.PaymentService;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Kills and restarts the example of the docs: each key has one payment. */
class PaymentServiceTest {

    private static final Path PAGE = Path.of("..", "docs", "guides", "caller-managed-transactions.md");
    private static final Path SOURCE = Path.of("src", "test", "java", "example", "PaymentService.java");

    private @Nullable DataSource database;
    private final List<Process> started = new ArrayList<>();

    @BeforeEach
    void makeTable() throws SQLException {
        database = Postgres.NEWEST.database();
        Postgres.execute(
                database,
                "create table payments (payment_id bigserial primary key, payer text not null, cents bigint not null)");
    }

    @AfterEach
    void endPrograms() {
        started.forEach(Process::destroyForcibly);
    }

    private DataSource database() {
        return Objects.requireNonNull(database);
    }

    private Process start(String... keys) throws IOException {
        PGSimpleDataSource source = (PGSimpleDataSource) database();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                PaymentService.class.getName(),
                source.getUrl() + (source.getUrl().contains("?") ? "&" : "?") + "user=" + source.getUser()));
        command.addAll(List.of(keys));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        started.add(process);
        return process;
    }

    /** The output of a program until it ends. */
    private static List<String> said(Process process) throws IOException {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            return lines.lines().toList();
        }
    }

    private String payments() throws SQLException {
        return Objects.requireNonNull(Postgres.ask(
                database(), "select coalesce(string_agg(cents::text, ' ' order by cents), '') from payments"));
    }

    private void awaitWaiting(Process process) throws SQLException {
        String waiting = "select count(*) from pg_locks where not granted";
        while ("0".equals(Postgres.ask(database(), waiting))) {
            assertThat(process.isAlive()).as("the program").isTrue();
        }
    }

    /** Waits until the sessions of the killed program have ended. */
    private void awaitItsEnd() throws SQLException {
        String others = "select count(*) from pg_stat_activity where datname = current_database() and state <> 'idle'"
                + " and pid <> pg_backend_pid()";
        while (!"0".equals(Postgres.ask(database(), others))) {
            Thread.onSpinWait();
        }
    }

    /** Killed between the insert and its result. */
    @Test
    void programThatIsKilledBetweenEffectAndCommit_hasPaidNothing_andItsRetryPaysOnce() throws Exception {
        Postgres.execute(
                database(),
                "create function wait_for_the_test() returns trigger language plpgsql as"
                        + " 'begin perform pg_advisory_xact_lock(42); return null; end';"
                        + " create trigger waits after insert on payments for each row execute function wait_for_the_test()");
        try (Connection connection = database().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("select pg_advisory_lock(42)");
            Process process = start("7");
            awaitWaiting(process);
            process.destroyForcibly().waitFor();
        }
        awaitItsEnd();
        assertThat(payments()).isEmpty();
        assertThat(said(start("7"))).containsExactly("7 Executed");
        assertThat(said(start("7"))).containsExactly("7 Replayed");
        assertThat(payments()).isEqualTo("7");
    }

    /** Killed between the COMMIT and its result. */
    @Test
    void programThatIsKilledInItsCommit_hasPaid_andItsRetryReplaysIt() throws Exception {
        said(start());
        try (Connection connection = database().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("lock table semel.idempotency_records in exclusive mode");
            Process process = start("7");
            awaitWaiting(process);
            process.destroyForcibly().waitFor();
            connection.commit();
        }
        awaitItsEnd();
        assertThat(said(start("7"))).containsExactly("7 Replayed");
        assertThat(payments()).isEqualTo("7");
    }

    @Test
    void programThatIsKilledAtRandom_paysOnceForEachKey() throws Exception {
        String[] keys =
                IntStream.rangeClosed(101, 200).mapToObj(Integer::toString).toArray(String[]::new);
        Random random = new Random(1);
        for (int kills = 0; kills < TestSize.of(2, 8); kills++) {
            Process process = start(keys);
            try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
                for (int i = random.nextInt(keys.length); i > 0; i--) {
                    lines.readLine();
                }
                process.destroyForcibly().waitFor();
            }
        }
        assertThat(said(start(keys))).hasSameSizeAs(keys);
        assertThat(payments()).isEqualTo(String.join(" ", keys));
    }

    @Test
    void pageShowsTheServiceAsItIs() throws IOException {
        List<String> lines = Files.readAllLines(SOURCE);
        String service = String.join(
                        "\n", lines.subList(lines.indexOf("    // page: service") + 1, lines.indexOf("    // end")))
                .replaceAll("(?m)^    ", "");
        assertThat(Files.readString(PAGE)).contains("```Java\n" + service + "\n```\n");
    }
}
