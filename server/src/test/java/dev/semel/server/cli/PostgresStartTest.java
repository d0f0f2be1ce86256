package dev.semel.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.postgres.Postgres;
import dev.semel.server.log.Log;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** A database that cannot be used is reported in one line, and the exit status is 1. */
class PostgresStartTest {

    @TempDir
    Path folder;

    private record Result(int status, String out, String err, String log) {}

    private static Result serve(String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        String[] all = new String[arguments.length + 4];
        all[0] = "serve";
        all[1] = "--check";
        all[2] = "--port=0";
        all[3] = "--log-level=warn";
        System.arraycopy(arguments, 0, all, 4, arguments.length);
        Log.setOutput(log);
        try {
            int status = Semel.run(InputStream.nullInputStream(), out, new PrintStream(err, true, UTF_8), all);
            return new Result(status, out.toString(UTF_8), err.toString(UTF_8), log.toString(UTF_8));
        } finally {
            Log.setOutput(new FileOutputStream(FileDescriptor.err));
        }
    }

    private static void assertFails(String url, String place, String reason) {
        assertFailsIn("semel", url, place, reason);
    }

    private static void assertFailsIn(String schema, String url, String place, String reason) {
        Result result = serve("--store=" + url, "--store-schema=" + schema);
        assertThat(result.err)
                .startsWith("semel serve: Cannot use the database postgres://" + place + ": " + reason)
                .doesNotContain("hunter2")
                .endsWith("\n");
        assertThat(result.err.lines()).hasSize(1);
        assertThat(result.log).doesNotContain("hunter2");
        assertThat(result.status).isEqualTo(1);
    }

    private static String place(PGSimpleDataSource database) {
        return "localhost:" + database.getPortNumbers()[0] + "/" + database.getDatabaseName();
    }

    @Test
    void emptyDatabase_getsItsTables() throws Exception {
        PGSimpleDataSource database = Postgres.NEWEST.emptyDatabase();
        Result result = serve("--store=" + Postgres.url(database));
        assertThat(result.out).startsWith("All settings are valid. The server was ready at http://");
        assertThat(result.status).isZero();
        assertThat(result.log).isEmpty();
        assertThat(Postgres.ask(database, "select count(*) from idempotency_keys"))
                .isEqualTo("0");
        Postgres.assertNobodyConnected(database);
    }

    @Test
    void jdbcUrl_isReadFromASettingsFile() throws Exception {
        PGSimpleDataSource database = Postgres.NEWEST.emptyDatabase();
        Path file = Files.writeString(
                folder.resolve("semel.properties"),
                "store=jdbc:postgresql://" + place(database) + "?user=postgres&password=hunter2\n");
        Result result = serve("--config=" + file);
        assertThat(result.status).isZero();
        assertThat(result.log).isEmpty();
    }

    @Test
    void passwordAsArgument_worksWithAWarning() {
        PGSimpleDataSource database = Postgres.NEWEST.database();
        Result result = serve("--store=postgres://postgres:hunter2@" + place(database));
        assertThat(result.status).isZero();
        assertThat(result.log.lines()).hasSize(1);
        assertThat(result.log)
                .contains("--store holds a password")
                .contains("SEMEL_STORE")
                .doesNotContain("hunter2");
    }

    @Test
    void unreachableServer_isReported() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        String place = "localhost:" + port + "/shop";
        assertFails("postgres://ann:hunter2@" + place, place, "Connection to localhost:" + port + " refused.");
        assertFails("postgres://h.invalid/shop", "h.invalid:5432/shop", "there is no host h.invalid");
    }

    @Test
    void wrongPassword_isReported() throws Exception {
        PGSimpleDataSource database = Postgres.NEWEST.database();
        Path access = Path.of(Objects.requireNonNull(Postgres.ask(database, "show hba_file")));
        Files.writeString(access, "host all locked_out all scram-sha-256\n" + Files.readString(access));
        Postgres.execute(database, "create role locked_out login password 'right'");
        Postgres.execute(database, "select pg_reload_conf()");
        assertFails(
                "postgres://locked_out:hunter2@" + place(database),
                place(database),
                "password authentication failed for user \"locked_out\"");
        assertFails("postgres://locked_out@" + place(database), place(database), "The server requested SCRAM");
    }

    @Test
    void missingDatabase_isReported() {
        PGSimpleDataSource database = Postgres.NEWEST.database();
        String place = "localhost:" + database.getPortNumbers()[0] + "/nowhere";
        assertFails("postgres://postgres@" + place, place, "database \"nowhere\" does not exist");
    }

    @Test
    void wrongParameterValue_isReported() {
        PGSimpleDataSource database = Postgres.NEWEST.database();
        String url = Postgres.url(database);
        assertFails(url + "?sslmode=perhaps", place(database), "Invalid sslmode value: perhaps");
        assertFails(url + "?sslmode=require", place(database), "The server does not support SSL.");
        assertFails(url + "?socketTimeout=soon", place(database), "");
    }

    @Test
    void newerTables_areRejected() throws Exception {
        PGSimpleDataSource database = Postgres.NEWEST.database();
        Postgres.execute(database, "update semel.semel_schema_version set version = 900 where part = 'documents'");
        assertFails(
                Postgres.url(database),
                place(database),
                "Its schema semel has version 900 of the documents, and this release knows version 1");
    }

    /** A login that owns nothing and may only act as the two roles, as a careful administrator makes it. */
    @Test
    void loginWithoutOwnership_servesExistingTables() throws Exception {
        PGSimpleDataSource database = Postgres.NEWEST.database();
        Postgres.execute(database, "create role careful login; grant semel_app, semel_service to careful");
        String url = "postgres://careful@" + place(database);
        assertThat(serve("--store=" + url, "--store-migrate=false").status).isZero();
        assertThat(serve("--store=" + url).status).isZero();
        assertFailsIn(
                "other", url, place(database), "careful may not create the schema other: grant create on database ");

        Postgres.execute(database, "create role stranger login");
        Result stranger = serve("--store=postgres://stranger@" + place(database), "--store-migrate=false");
        assertThat(stranger.err)
                .isEqualTo("semel serve: Cannot use the database postgres://" + place(database)
                        + ": stranger may not act as the role semel_app: grant semel_app to stranger\n");
    }

    @Test
    void missingTables_areReported() {
        PGSimpleDataSource database = Postgres.NEWEST.emptyDatabase();
        assertThat(serve("--store=" + Postgres.url(database), "--store-migrate=false").err)
                .isEqualTo("semel serve: Cannot use the database postgres://" + place(database)
                        + ": Its schema semel lacks tables of Semel, and migration is turned off:"
                        + " let the owner of the database install them\n");
    }

    @Test
    void otherSchema_getsItsTables() throws Exception {
        PGSimpleDataSource database = Postgres.NEWEST.emptyDatabase();
        Result result = serve("--store=" + Postgres.url(database), "--store-schema=shop_semel");
        assertThat(result.err).isEmpty();
        assertThat(result.status).isZero();
        assertThat(Postgres.ask(database, "select count(*) from shop_semel.idempotency_keys"))
                .isEqualTo("0");
        assertThat(Postgres.ask(database, "select count(*) from pg_namespace where nspname = 'semel'"))
                .isEqualTo("0");
    }
}
