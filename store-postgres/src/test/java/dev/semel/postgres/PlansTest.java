package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Time;
import dev.semel.store.admin.StoreAdmin.Cleanup;
import dev.semel.store.admin.StoreAdmin.KeyPage;
import dev.semel.store.admin.StoreAdmin.KeyQuery;
import dev.semel.store.admin.Sweeper;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore.Scan;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.KeyStatus;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * With many rows, every statement finds its rows by an index and reads few others. The plans are those of the server's log, to which
 * auto_explain writes them.
 */
class PlansTest {

    private static final int ROWS = 200_000;

    /** The most rows that a statement may read without need, or at all. */
    private static final double FEW = 100;

    private static final Quota QUOTA = new Quota(1000, Duration.ofHours(1));

    private static final String TABLES = "idempotency_records|documents|index_entries|commit_log";

    private static final Pattern SCAN =
            Pattern.compile("(\\w+(?: \\w+)*) Scan.* on (" + TABLES + ")\\b.*rows=([0-9.]+) loops=(\\d+)");
    private static final Pattern REMOVED = Pattern.compile("Rows Removed by .*: (\\d+)");

    private static final String FILL = """
            insert into idempotency_records (id, idempotency_key, client_tx_id, user_id, endpoint, payload_hash, status,
              created_at, deadline, purge_at, attempts, commit_id, fencing_token, response_kind, response_status,
              quota_starts)
            select md5(n::text)::uuid, 'key-' || n, 'tx-' || n, 'user-' || n %% 1000, 'POST /x', decode(repeat('0a', 32), 'hex'),
              2, now() - n * interval '1 second', now() + n * interval '1 second', now() + interval '30 days', 1,
              'commit-' || n, n, 1, 200, case when n %% 10 = 0 then array[now() - n * interval '2 seconds'] end
            from generate_series(1, %1$d) n;
            insert into documents (collection, owner, key, version, created_at, updated_at, expires_at, commit_id,
              index_entries, data)
            select 'things', '', md5(n::text), 1, now(), now(), case when n %% 2 = 0 then now() + n * interval '1 second' end,
              'commit-' || n, E'other\\t' || n || E'\\n', '{}'
            from generate_series(1, %1$d) n;
            insert into index_entries (collection, owner, index_name, index_key, key)
            select 'things', '', 'other', n::text, md5(n::text) from generate_series(1, %1$d) n;
            insert into commit_log (commit_id, created_at) select 'commit-' || n, now() from generate_series(1, %1$d) n
            """.formatted(ROWS);

    private int commits;

    private static EmbeddedPostgres start() throws IOException {
        return EmbeddedPostgres.builder()
                .setServerConfig("logging_collector", "on")
                .setServerConfig("log_directory", "log")
                .setServerConfig("shared_preload_libraries", "auto_explain")
                .setServerConfig("auto_explain.log_analyze", "on")
                .setServerConfig("auto_explain.log_timing", "off")
                .setServerConfig("auto_explain.log_nested_statements", "on")
                .setPGStartupWait(Duration.ofMinutes(2))
                .start();
    }

    @Test
    void everythingThatTheStoreSends_isFoundByAnIndex() throws Exception {
        try (EmbeddedPostgres server = start()) {
            DataSource source = server.getPostgresDatabase();
            PostgresStore store = PostgresStore.open(source, PostgresSettings.DEFAULTS);
            Session session = new Session(source, PostgresSettings.DEFAULTS);
            Postgres.execute(source, "alter database postgres set auto_explain.log_min_duration = 0");
            findTogether(session);
            Postgres.execute(source, FILL);
            Postgres.execute(source, "vacuum (analyze)");

            sendEverything(store, source, session);

            List<String> scans = new ArrayList<>();
            String log = log(source);
            assertThat(wasteful(log, scans, FEW)).isEmpty();
            assertThat(log)
                    .doesNotContain(
                            "AND (id = "); // the primary key alone: other indexes have the id after the keys of a user
            for (String table : TABLES.split("\\|", -1)) {
                assertThat(scans).as(table).anyMatch(scan -> scan.endsWith(" on " + table));
            }
        }
    }

    /** A search that no index serves reads pages of a bounded number of rows, in the order of an index. */
    @Test
    void listThatIsFiltered_examinesABoundedNumberOfRows() throws Exception {
        try (EmbeddedPostgres server = start()) {
            DataSource source = server.getPostgresDatabase();
            PostgresStore store = PostgresStore.open(source, PostgresSettings.DEFAULTS);
            Postgres.execute(source, FILL);
            Postgres.execute(source, "vacuum (analyze)");
            Postgres.execute(source, "alter database postgres set auto_explain.log_min_duration = 0");
            KeyQuery all = KeyQuery.all(50);
            for (KeyQuery query : List.of(
                    all.in(KeyStatus.FAILED),
                    all.ofEndpoint("POST /rare"),
                    all.beginningWith("key-19999"),
                    all.ofClientTx("tx-7"),
                    all.createdBefore(Instant.now().minusSeconds(ROWS - 50)))) {
                KeyPage page = store.admin().list(query);
                assertThat(page.next()).isPresent();
                store.admin().list(query.after(page.next().orElseThrow()));
            }
            List<String> scans = new ArrayList<>();
            double most = 2.0 * KeyListing.MOST_EXAMINED;
            assertThat(wasteful(log(source), scans, most)).isEmpty();
            assertThat(scans).hasSizeGreaterThanOrEqualTo(20).allMatch(scan -> scan.startsWith("Index"));
        }
    }

    private static String log(DataSource source) throws SQLException {
        return String.valueOf(Postgres.ask(source, "select pg_read_file(pg_current_logfile())"));
    }

    /** Returns the scans that read a table in another way than by a few rows of an index; adds all scans to a list. */
    private static List<String> wasteful(String log, List<String> scans, double most) {
        List<String> wasteful = new ArrayList<>();
        String scan = "";
        for (String line : log.lines().toList()) {
            Matcher scanned = SCAN.matcher(line);
            Matcher removed = REMOVED.matcher(line);
            if (scanned.find()) {
                scan = scanned.group(1) + " on " + scanned.group(2);
                scans.add(scan);
                double read = Double.parseDouble(scanned.group(3)) * Double.parseDouble(scanned.group(4));
                if (scan.contains("Seq") || read > most) {
                    wasteful.add(line.strip());
                }
            } else if (removed.find() && Double.parseDouble(removed.group(1)) > most) {
                wasteful.add(scan + ": " + line.strip());
            }
        }
        return wasteful;
    }

    private static void findTogether(Session session) {
        for (int keys : new int[] {2, 20}) {
            KeyLookups.run(
                    session,
                    null,
                    IntStream.rangeClosed(1, keys)
                            .mapToObj(n -> new KeyLookups.Wanted(
                                    new IdempotencyKey("user-" + n, "POST /x", "key-" + n), QUOTA))
                            .toList());
        }
    }

    private void sendEverything(PostgresStore store, DataSource source, Session session) {
        for (int n : new int[] {1, 2 * ROWS}) {
            store.find(new IdempotencyKey("user-" + n % 1000, "POST /x", "key-" + n), QUOTA);
            store.read(new DocumentId("things", "", "key-" + n));
        }
        findTogether(session);
        for (String entry : List.of("", "other")) {
            for (boolean descending : new boolean[] {false, true}) {
                for (String after : List.of("", "5")) {
                    KeyRange all = KeyRange.ofPrefix("");
                    store.scan(new Scan("things", "", entry, all, after, 20, descending));
                    store.scan(new Scan("things", "", entry, KeyRange.ofPrefix("4"), "", 20, descending));
                }
            }
        }
        for (boolean once : new boolean[] {true, false}) {
            Document document = document(once ? "new" : "other", 0);
            IndexEntry key = new IndexEntry("other", "new-" + once);
            IndexEntry sequenced = IndexEntry.inCommitOrder("new-" + once);
            apply(store.commit(commit(once, "", new DocumentWrite.Put(document, List.of(key)))));
            apply(store.commit(
                    commit(once, document.commitId(), new DocumentWrite.Delete(document.id(), List.of(key)))));
            apply(store.commit(commit(once, "", new DocumentWrite.Put(document, List.of(sequenced)))));
            Commit alone =
                    commit(once, "", new DocumentWrite.Put(document("alone" + once, 0), List.of(key, sequenced)));
            PendingCommit pending = new PendingCommit(alone);
            new CommitGroup(List.of(pending), session.locks(), true).run(session, null);
            apply(pending.result());
        }
        for (int checked : new int[] {1, 4}) {
            Map<DocumentId, String> preconditions = new HashMap<>();
            IntStream.range(0, checked).forEach(n -> {
                DocumentId id = new DocumentId("things", "", "checked-" + checked + "-" + n);
                apply(store.commit(new Commit(
                        id.key(), null, Map.of(), List.of(new DocumentWrite.Put(document(id.key(), 0), List.of())))));
                preconditions.put(id, "writer");
            });
            apply(store.commit(new Commit("new-commit-" + ++commits, once(), preconditions, List.of())));
        }
        Once once = new Once(store, Time.system(), OnceSettings.DEFAULTS.withQuota(QUOTA), OnceListener.NONE);
        CallerTransactions transactions = new CallerTransactions(source, store, once);
        for (String user : List.of("user-7", "user-x")) {
            Fingerprint any = Fingerprint.ofJson("{}");
            transactions.run(
                    Call.of(new IdempotencyKey(user, "POST /x", "own"), any), connection -> Response.of("done"));
            transactions.runEffectFirst(
                    Call.of(new IdempotencyKey(user, "POST /x", "first"), any), connection -> Response.of("done"));
        }
        new Sweeper(store.admin(), Time.system()).sweep();
        KeyQuery all = KeyQuery.all(50);
        store.admin().list(all.ofUser("user-7"));
        for (KeyStatus open : List.of(KeyStatus.PROCESSING, KeyStatus.UNKNOWN)) {
            store.admin().list(all.in(open));
            store.admin().list(all.ofUser("user-7").in(open));
        }
        KeyPage page = store.admin().list(all);
        store.admin().list(all.after(page.next().orElseThrow()));
        KeyQuery ofUser = all.ofUser("user-70").createdBefore(Instant.now().minusSeconds(ROWS - 9_000));
        store.admin().list(ofUser);
        store.admin().list(ofUser.ofClientTx("new-tx-1"));
        store.admin().list(ofUser.ofEndpoint("POST /x").in(KeyStatus.COMPLETED));
        store.admin().cleanups(10);
        store.admin().cleanups(new Cleanup("documents", 0, Instant.now()), 10);
        store.admin().erase("nobody", true);
    }

    private static void apply(CommitResult result) {
        assertThat(result).isInstanceOf(CommitResult.Applied.class);
    }

    private static Document document(String key, long sequence) {
        Instant now = Instant.now();
        return new Document(new DocumentId("things", "", key), 1, now, now, null, Json.of("{}"), "writer", sequence);
    }

    private Commit commit(boolean once, String writer, DocumentWrite write) {
        String id = "new-commit-" + ++commits;
        return new Commit(id, once ? once() : null, Map.of(write.id(), writer), List.of(write));
    }

    private @Nullable IdempotencyWrite once() {
        IdempotencyRecord record = IdempotencyRecord.builder(
                        new IdempotencyKey("user-7", "POST /x", "new-key-" + commits),
                        "new-tx-" + commits,
                        Fingerprint.ofJson("{}"))
                .status(Status.COMPLETED)
                .response(Response.of("{}"))
                .build();
        return new IdempotencyWrite(Precondition.ABSENT, record, Duration.ofHours(24), Duration.ofDays(30), QUOTA);
    }
}
