package dev.semel.postgres;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Cleanup;
import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.DocumentId;
import dev.semel.store.Expected;
import dev.semel.store.FurtherKey;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.OnceWrite;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Sweeper;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SweepTest {

    private final ControlledTime time = new ControlledTime();
    private DataSource database;
    private Pool pool;
    private PostgresStore store;

    SweepTest() {
        use(Postgres.NEWEST.usedDatabase());
    }

    private void use(DataSource database) {
        this.database = database;
        this.pool = new Pool(database);
        this.store = PostgresStore.open(pool, PostgresSettings.DEFAULTS.withoutMigration(), time);
    }

    @AfterEach
    void close() {
        assertThat(pool.lent()).isZero();
        pool.close();
        Postgres.NEWEST.giveBack(database);
    }

    private String count(String table) throws SQLException {
        return String.valueOf(Postgres.ask(database, "select count(*) from " + table));
    }

    private void put(String user, OnceStatus status, Duration life) {
        String name = user + "-" + status;
        OnceWrite write = new OnceWrite(
                Expected.ABSENT, Stored.record(Stored.key(user, name), name, status), life, Duration.ZERO, Quota.NONE);
        assertThat(store.commit(Commit.of(name, write))).isInstanceOf(CommitResult.Applied.class);
    }

    /** How many rows were let go. */
    private long sweep() {
        return new Sweeper(store, time)
                .sweep().stream().mapToLong(Cleanup::deleted).sum();
    }

    @Test
    void keysThatEndedAndAreOver_go_andNoOthers() throws SQLException {
        for (String user : new String[] {"ann", "bob"}) {
            for (OnceStatus status : OnceStatus.values()) {
                put(user, status, Duration.ofHours(2));
            }
        }
        put("cid", OnceStatus.COMPLETED, Duration.ofHours(3));
        assertThat(sweep()).isZero();
        time.advance(Duration.ofHours(2).minusNanos(1_000));
        assertThat(sweep()).isZero();
        time.advance(Duration.ofNanos(1_000));
        assertThat(sweep()).isEqualTo(6); // two each of completed and failed, and two whose owner has vanished
        assertThat(Postgres.ask(
                        database,
                        "select string_agg(user_id || status, ',' order by user_id, status)"
                                + " from idempotency_keys"))
                .isEqualTo("annunknown,bobunknown,cidcompleted");
    }

    @Test
    void keyThatEndedSoon_staysAsLongAsItCounts() throws SQLException {
        put("ann", OnceStatus.COMPLETED, Duration.ofMinutes(1));
        time.advance(Duration.ofMinutes(30));
        assertThat(sweep()).isEqualTo(1); // its answer
        assertThat(count("idempotency_keys")).isEqualTo("1");
        time.advance(Duration.ofMinutes(30));
        assertThat(sweep()).isEqualTo(1);
        assertThat(count("idempotency_keys")).isEqualTo("0");
    }

    @Test
    void earlierStartsOfKeys_goWhenTheyDoNotCountAnyMore() throws SQLException {
        OnceWrite write = new OnceWrite(
                Expected.ABSENT,
                Stored.record(Stored.key("ann", "k"), "tx", OnceStatus.COMPLETED),
                Duration.ofMinutes(10),
                Duration.ofDays(1),
                Quota.NONE);
        store.commit(Commit.of("first", write));
        time.advance(Duration.ofMinutes(10));
        OnceRecord seen = store.find(write.record().key(), Quota.NONE).record();
        store.commit(Commit.of(
                "second",
                new OnceWrite(
                        Expected.asSeen(Objects.requireNonNull(seen)),
                        write.record(),
                        write.life(),
                        write.afterlife(),
                        Quota.NONE)));
        assertThat(count("earlier_starts")).isEqualTo("1");
        time.advance(Duration.ofMinutes(50));
        sweep();
        assertThat(count("earlier_starts")).isEqualTo("1");
        time.advance(Duration.ofSeconds(1));
        sweep();
        assertThat(count("earlier_starts")).isEqualTo("0");
    }

    /** @param expiresAt when the key with the number n does */
    private void fill(int keys, String expiresAt) throws SQLException {
        Postgres.execute(
                database,
                "insert into idempotency_keys (id, idempotency_key, client_tx_id, user_id, endpoint, payload_hash, status,"
                        + " created_at, expires_at, attempts, attempt_id, fence, response_kind) select gen_random_uuid(), 'k' || n, 't', 'ann',"
                        + " 'e', 'h', 'completed', timestamptz '2020-01-01', " + expiresAt + ", 1, 'a', n, 'kept'"
                        + " from generate_series(1, " + keys
                        + ") n; analyze idempotency_keys; select pg_stat_force_next_flush()");
    }

    private int read(String column, String view) throws SQLException {
        return Integer.parseInt(Objects.requireNonNull(Postgres.ask(
                database, "select " + column + " from " + view + " where indexrelname = 'idempotency_keys_expired'")));
    }

    /** An index keeps what has gone until it is vacuumed. */
    @Test
    void whatHasGone_isNotGoneThroughAgainWithEachStep() throws SQLException {
        close();
        use(Postgres.NEWEST.database()); // sessions of others would tell late what they have read
        int keys = 6000;
        fill(keys, "timestamptz '2020-01-02' + n * interval '1 second'");
        int scans = read("idx_scan", "pg_stat_user_indexes");
        int pages = read("idx_blks_hit + idx_blks_read", "pg_statio_user_indexes");
        assertThat(sweep()).isEqualTo(keys);
        pool.close(); // sessions tell what they have read when they end
        int steps = keys / 10 + 1;
        Eventually.assertHolds(() ->
                assertThat(read("idx_scan", "pg_stat_user_indexes") - scans).isEqualTo(steps));
        assertThat(read("idx_blks_hit + idx_blks_read", "pg_statio_user_indexes") - pages)
                .isBetween(steps, 4 * steps);
    }

    @Test
    void manyRows_goInBatches_andAreLogged() throws SQLException {
        fill(1700, "timestamptz '2020-01-02'");
        assertThat(sweep()).isEqualTo(1700);
        assertThat(count("idempotency_keys")).isEqualTo("0");
        assertThat(Postgres.ask(
                        database,
                        "select deleted_count || ' ' || (cleanup_time = timestamptz '2026-01-07 12:00:00Z')"
                                + " from cleanup_logs where table_name = 'tombstones'"))
                .isEqualTo("1700 true");
    }

    @Test
    void expiredDocuments_goWithTheirFurtherKeys() throws SQLException {
        for (int i = 0; i < 250; i++) {
            boolean stays = i % 5 == 0;
            store.commit(Stored.write(
                    "a" + i,
                    new DocumentId("things", i % 2 == 0 ? "" : "ann", "d" + i),
                    stays ? null : time.instant().plusSeconds(60),
                    new FurtherKey("by-date", "on-" + i),
                    FurtherKey.placed("")));
        }
        time.advance(Duration.ofSeconds(60));
        assertThat(sweep()).isEqualTo(200);
        assertThat(count("documents")).isEqualTo("50");
        assertThat(count("further_keys")).isEqualTo("100");
        assertThat(count("further_keys f where not exists (select from documents d where d.collection = f.collection"
                        + " and d.owner = f.owner and d.key = f.key)"))
                .isEqualTo("0");
    }

    @Test
    void erasedUser_leavesNoByteInTheTables_whenTheyAreWrittenAnew() throws Exception {
        String user = "eraseduser";
        store.commit(Stored.commit(
                "a", Stored.key(user, "k"), new DocumentId("things", user, "d"), new FurtherKey("by-date", "today")));
        store.commit(Stored.commit("b", Stored.key("ann", "k"), new DocumentId("things", "ann", "d")));
        OnceRecord answered = Stored.record(Stored.key(user, "answered"), "tx", OnceStatus.COMPLETED)
                .with(OnceStatus.COMPLETED, Response.of("{\"secret\":\"they said it\"}"));
        store.commit(Commit.of(
                "c", new OnceWrite(Expected.ABSENT, answered, Duration.ofHours(1), Duration.ofDays(1), Quota.NONE)));
        Postgres.execute(database, "insert into earlier_starts (user_id, created_at) values ('" + user + "', now())");
        assertThat(bytesOf("they said it")).isPositive();
        assertThat(bytesOf(user)).isPositive();
        store.housekeeping().erase(user, true);
        Postgres.execute(database, "vacuum full idempotency_keys, earlier_starts, documents, further_keys");
        assertThat(bytesOf(user) + bytesOf("they said it")).isZero();
        assertThat(count("idempotency_keys") + count("documents")).isEqualTo("11");
    }

    /** In how many files of the database a text is. */
    private long bytesOf(String text) throws Exception {
        Postgres.execute(database, "checkpoint");
        String folder = Postgres.ask(
                database,
                "select current_setting('data_directory') || '/base/' || oid from pg_database where datname = current_database()");
        try (Stream<Path> files = Files.list(Path.of(Objects.requireNonNull(folder)))) {
            return files.filter(file -> holds(file, text)).count();
        }
    }

    private static boolean holds(Path file, String text) {
        try {
            return Files.readString(file, ISO_8859_1).contains(text);
        } catch (IOException e) {
            return false; // it has gone meanwhile
        }
    }

    @Test
    void rowThatSomebodyIsAt_isLeftForTheNextTime() throws SQLException {
        DocumentId held = new DocumentId("things", "", "held");
        store.commit(Stored.write("a", held, time.instant().plusSeconds(60)));
        store.commit(Stored.write(
                "b", new DocumentId("things", "", "free"), time.instant().plusSeconds(60)));
        time.advance(Duration.ofSeconds(60));
        try (Connection other = database.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("select pg_advisory_xact_lock(" + RowId.of(held).lock() + ")");
            assertThat(sweep()).isEqualTo(1);
            other.rollback();
        }
        assertThat(sweep()).isEqualTo(1);
    }

    @Test
    void receipts_areKeptAsLongAsSomebodyMayAsk() throws SQLException {
        store.commit(Stored.write("a", new DocumentId("things", "", "d"), null));
        time.advance(Duration.ofMinutes(10));
        assertThat(sweep()).isZero();
        time.advance(Duration.ofNanos(1_000));
        assertThat(sweep()).isEqualTo(1);
        assertThat(count("receipts")).isEqualTo("0");
    }
}
