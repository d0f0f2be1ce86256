package dev.semel.postgres;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.DocumentId;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.admin.StoreAdmin.Cleanup;
import dev.semel.store.admin.Sweeper;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
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
import org.jspecify.annotations.Nullable;
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

    private void put(String user, Status status, Duration ttl) {
        String name = user + "-" + status;
        IdempotencyWrite write = new IdempotencyWrite(
                Precondition.ABSENT,
                Stored.record(Stored.key(user, name), name, status),
                ttl,
                Duration.ZERO,
                Quota.NONE);
        assertThat(store.commit(Commit.of(name, write))).isInstanceOf(CommitResult.Applied.class);
    }

    /** Sweeps, and returns the number of deleted rows. */
    private long sweep() {
        return new Sweeper(store.admin(), time)
                .sweep().stream().mapToLong(Cleanup::deleted).sum();
    }

    @Test
    void keysThatEndedAndAreOver_go_andNoOthers() throws SQLException {
        for (String user : new String[] {"ann", "bob"}) {
            for (Status status : Status.values()) {
                put(user, status, Duration.ofHours(2));
            }
        }
        put("cid", Status.COMPLETED, Duration.ofHours(3));
        assertThat(sweep()).isZero();
        time.advance(Duration.ofHours(2).minusNanos(1_000));
        assertThat(sweep()).isZero();
        time.advance(Duration.ofNanos(1_000));
        assertThat(sweep()).isEqualTo(6); // for each user: one completed, one failed, and one abandoned
        assertThat(Postgres.ask(
                        database,
                        "select string_agg(user_id || status, ',' order by user_id, status)"
                                + " from idempotency_keys"))
                .isEqualTo("annunknown,bobunknown,cidcompleted");
    }

    @Test
    void keyThatEndedSoon_staysAsLongAsItCounts() throws SQLException {
        put("ann", Status.COMPLETED, Duration.ofMinutes(1));
        time.advance(Duration.ofMinutes(30));
        assertThat(sweep()).isEqualTo(1); // its response
        assertThat(count("idempotency_keys")).isEqualTo("1");
        time.advance(Duration.ofMinutes(30));
        assertThat(sweep()).isEqualTo(1);
        assertThat(count("idempotency_keys")).isEqualTo("0");
    }

    @Test
    void quotaStartsOfAKey_areKeptAsLongAsTheyCount() throws SQLException {
        IdempotencyWrite write = new IdempotencyWrite(
                Precondition.ABSENT,
                Stored.record(Stored.key("ann", "k"), "tx", Status.COMPLETED),
                Duration.ofMinutes(10),
                Duration.ofDays(1),
                Quota.NONE);
        store.commit(Commit.of("first", write));
        time.advance(Duration.ofMinutes(10));
        restart(write, "second");
        assertThat(quotaStarts("k")).isEqualTo("1");
        time.advance(Duration.ofMinutes(49));
        restart(write, "third");
        assertThat(quotaStarts("k")).isEqualTo("2");
        time.advance(Duration.ofMinutes(11));
        restart(write, "fourth");
        assertThat(quotaStarts("k")).as("the last").isEqualTo("1");
    }

    private void restart(IdempotencyWrite write, String commitId) {
        IdempotencyRecord seen = store.find(write.record().key()).record();
        assertThat(store.commit(Commit.of(
                        commitId,
                        new IdempotencyWrite(
                                Precondition.unchanged(seen),
                                write.record(),
                                write.ttl(),
                                write.tombstoneTtl(),
                                Quota.NONE))))
                .isInstanceOf(CommitResult.Applied.class);
    }

    private @Nullable String quotaStarts(String key) throws SQLException {
        return Postgres.ask(
                database,
                "select coalesce(cardinality(quota_starts), 0) from idempotency_records where idempotency_key = '" + key
                        + "'");
    }

    /** @param deadline expression for the expiry of key n */
    private void fill(int keys, String deadline) throws SQLException {
        Postgres.execute(
                database,
                "insert into idempotency_records (id, idempotency_key, client_tx_id, user_id, endpoint, payload_hash, status,"
                        + " created_at, deadline, purge_at, attempts, commit_id, fencing_token, response_kind)"
                        + " select gen_random_uuid(), 'k' || n, 't', 'ann', 'e', '\\x00', 2, timestamptz '2020-01-01', "
                        + deadline + ", " + deadline + ", 1, 'a', n, 1 from generate_series(1, " + keys
                        + ") n; analyze idempotency_records; select pg_stat_force_next_flush()");
    }

    private int read(String column, String view) throws SQLException {
        return Integer.parseInt(Objects.requireNonNull(Postgres.ask(
                database, "select " + column + " from " + view + " where indexrelname = 'idempotency_records_sweep'")));
    }

    /** An index keeps deleted entries until it is vacuumed. */
    @Test
    void whatHasGone_isNotGoneThroughAgainWithEachStep() throws SQLException {
        close();
        use(Postgres.NEWEST.database()); // sessions of other tests report their statistics late
        int keys = 6000;
        fill(keys, "timestamptz '2020-01-02' + n * interval '1 second'");
        int scans = read("idx_scan", "pg_stat_user_indexes");
        int pages = read("idx_blks_hit + idx_blks_read", "pg_statio_user_indexes");
        assertThat(sweep()).isEqualTo(keys);
        pool.close(); // a session reports its statistics when it ends
        int steps = keys / 10 + 1;
        Eventually.assertHolds(() ->
                assertThat(read("idx_scan", "pg_stat_user_indexes") - scans).isBetween(steps, steps + 1));
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
    void expiredDocuments_goWithTheirIndexEntries() throws SQLException {
        for (int i = 0; i < 250; i++) {
            boolean stays = i % 5 == 0;
            store.commit(Stored.write(
                    "a" + i,
                    new DocumentId("things", i % 2 == 0 ? "" : "ann", "d" + i),
                    stays ? null : time.instant().plusSeconds(60),
                    new IndexEntry("by-date", "on-" + i),
                    IndexEntry.inCommitOrder("")));
        }
        time.advance(Duration.ofSeconds(60));
        assertThat(sweep()).isEqualTo(200);
        assertThat(count("documents")).isEqualTo("50");
        assertThat(count("index_entries")).isEqualTo("100");
        assertThat(count("index_entries f where not exists (select from documents d where d.collection = f.collection"
                        + " and d.owner = f.owner and d.key = f.key)"))
                .isEqualTo("0");
    }

    @Test
    void erasedUser_leavesNoByteInTheTables_whenTheyAreWrittenAnew() throws Exception {
        String user = "eraseduser";
        store.commit(Stored.commit(
                "a", Stored.key(user, "k"), new DocumentId("things", user, "d"), new IndexEntry("by-date", "today")));
        store.commit(Stored.commit("b", Stored.key("ann", "k"), new DocumentId("things", "ann", "d")));
        IdempotencyRecord answered = Stored.record(Stored.key(user, "answered"), "tx", Status.COMPLETED).toBuilder()
                .response(Response.of("{\"secret\":\"they said it\"}"))
                .build();
        store.commit(Commit.of(
                "c",
                new IdempotencyWrite(
                        Precondition.ABSENT, answered, Duration.ofHours(1), Duration.ofDays(1), Quota.NONE)));
        assertThat(bytesOf("they said it")).isPositive();
        assertThat(bytesOf(user)).isPositive();
        store.admin().erase(user, true);
        Postgres.execute(database, "vacuum full idempotency_records, documents, index_entries");
        assertThat(bytesOf(user) + bytesOf("they said it")).isZero();
        assertThat(count("idempotency_keys") + count("documents")).isEqualTo("11");
    }

    /** Returns how many files of the database contain a text. */
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
            return false; // deleted meanwhile
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
            statement.execute("select pg_advisory_xact_lock(" + Stored.LOCKS.of(RowId.of(held)) + ")");
            assertThat(sweep()).isEqualTo(1);
            other.rollback();
        }
        assertThat(sweep()).isEqualTo(1);
    }

    @Test
    void commitLogEntries_areKeptAsLongAsSomebodyMayAsk() throws SQLException {
        store.commit(Stored.write("a", new DocumentId("things", "", "d"), null));
        time.advance(Duration.ofMinutes(10));
        assertThat(sweep()).isZero();
        time.advance(Duration.ofNanos(1_000));
        assertThat(sweep()).isEqualTo(1);
        assertThat(count("commit_log")).isEqualTo("0");
    }
}
