package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.store.Cleanup;
import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.DocumentWrite;
import dev.semel.store.Expected;
import dev.semel.store.FurtherKey;
import dev.semel.store.KeyPage;
import dev.semel.store.KeyQuery;
import dev.semel.store.KeyState;
import dev.semel.store.OnceKey;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.OnceWrite;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Scan;
import dev.semel.store.Sweeper;
import dev.semel.store.Time;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * With many rows, whatever the store sends is found by an index, and little else is looked at: as the server's log tells, to which it
 * was told to write how it carried out each statement.
 */
class PlansTest {

    private static final int ROWS = 200_000;

    /** Of what was read but not wanted, and of what a statement may read at all. */
    private static final double FEW = 100;

    private static final Quota QUOTA = new Quota(1000, Duration.ofHours(1));

    private static final Pattern SCAN = Pattern.compile(
            "(\\w+(?: \\w+)*) Scan.* on (idempotency_keys|documents|further_keys|receipts|earlier_starts)\\b.*rows=([0-9.]+) loops=(\\d+)");
    private static final Pattern REMOVED = Pattern.compile("Rows Removed by .*: (\\d+)");

    private static final String FILL =
            "insert into idempotency_keys (id, idempotency_key, client_tx_id, user_id, endpoint,"
                    + " payload_hash, status, created_at, expires_at, attempts, attempt_id, fence, response_kind, response_status)"
                    + " select md5(n::text)::uuid, 'key-' || n, 'tx-' || n, 'user-' || n % 1000, case when n % 5000 = 7 then 'POST /rare' when n < 30000 then 'POST /new' else 'POST /x' end, repeat('0a', 32), 'completed',"
                    + " now() - n * interval '1 second', now() + n * interval '1 second', 1, 'attempt-' || n, n, 'kept', 200"
                    + " from generate_series(1, " + ROWS + ") n;"
                    + " insert into documents (collection, owner, key, version, created_at, updated_at, expires_at, written_by,"
                    + " found_by, data) select 'things', '', md5(n::text), 1, now(), now(),"
                    + " case when n % 2 = 0 then now() + n * interval '1 second' end, 'attempt-' || n,"
                    + " E'other\\t' || n || E'\\n', '{}' from generate_series(1, " + ROWS + ") n;"
                    + " insert into further_keys (collection, owner, name, further_key, key)"
                    + " select 'things', '', 'other', n::text, md5(n::text) from generate_series(1, " + ROWS + ") n;"
                    + " insert into receipts (attempt_id, created_at)"
                    + " select 'receipt-' || n, now() from generate_series(1, " + ROWS + ") n;"
                    + " insert into earlier_starts (user_id, created_at) select 'user-' || n % 100000, now() - n % 3000 * interval '1 second'"
                    + " from generate_series(1, " + ROWS + ") n";

    private int commits;

    private static EmbeddedPostgres start() throws IOException {
        return EmbeddedPostgres.builder()
                .setServerConfig("logging_collector", "on")
                .setServerConfig("log_directory", "log")
                .setServerConfig("shared_preload_libraries", "auto_explain")
                .setServerConfig("auto_explain.log_analyze", "on")
                .setServerConfig("auto_explain.log_timing", "off")
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
            Instant filling = Instant.now();
            Postgres.execute(source, FILL);
            Postgres.execute(source, "vacuum (analyze)");

            sendEverything(store, source, session, filling.minusSeconds(ROWS - 50));

            List<String> scans = new ArrayList<>();
            String log = log(source);
            assertThat(wasteful(log, scans)).isEmpty();
            assertThat(log).doesNotContain("AND (id = "); // by it alone: in other indexes it comes behind a user's keys
            for (String table :
                    List.of("idempotency_keys", "documents", "further_keys", "receipts", "earlier_starts")) {
                assertThat(scans).as(table).anyMatch(scan -> scan.endsWith(" on " + table));
            }
        }
    }

    private static String log(DataSource source) throws SQLException {
        return String.valueOf(Postgres.ask(source, "select pg_read_file(pg_current_logfile())"));
    }

    /** Returns how a table was read otherwise than by a few rows of an index; adds all ways to a list. */
    private static List<String> wasteful(String log, List<String> scans) {
        List<String> wasteful = new ArrayList<>();
        String scan = "";
        for (String line : log.lines().toList()) {
            Matcher scanned = SCAN.matcher(line);
            Matcher removed = REMOVED.matcher(line);
            if (scanned.find()) {
                scan = scanned.group(1) + " on " + scanned.group(2);
                scans.add(scan);
                double read = Double.parseDouble(scanned.group(3)) * Double.parseDouble(scanned.group(4));
                if (scan.contains("Seq") || read > FEW) {
                    wasteful.add(line.strip());
                }
            } else if (removed.find() && Double.parseDouble(removed.group(1)) > FEW) {
                wasteful.add(scan + ": " + line.strip());
            }
        }
        return wasteful;
    }

    private static void findTogether(Session session) {
        for (int keys : new int[] {2, 20}) {
            Finding.run(
                    session,
                    null,
                    IntStream.rangeClosed(1, keys)
                            .mapToObj(n -> new Finding.Wanted(new OnceKey("user-" + n, "POST /x", "key-" + n), QUOTA))
                            .toList());
        }
    }

    private void sendEverything(PostgresStore store, DataSource source, Session session, Instant old) {
        for (int n : new int[] {1, 2 * ROWS}) {
            store.find(new OnceKey("user-" + n % 1000, "POST /x", "key-" + n), QUOTA);
            store.read(new DocumentId("things", "", "key-" + n));
        }
        findTogether(session);
        for (String further : List.of("", "other")) {
            for (boolean descending : new boolean[] {false, true}) {
                for (String after : List.of("", "5")) {
                    KeyRange all = KeyRange.ofPrefix("");
                    store.scan(new Scan("things", "", further, all, after, 20, descending));
                    store.scan(new Scan("things", "", further, KeyRange.ofPrefix("4"), "", 20, descending));
                }
            }
        }
        for (boolean once : new boolean[] {true, false}) {
            Document document = document(once ? "new" : "other", 0);
            FurtherKey key = new FurtherKey("other", "new-" + once);
            FurtherKey placed = FurtherKey.placed("new-" + once);
            apply(store.commit(commit(once, "", new DocumentWrite.Put(document, List.of(key)))));
            apply(store.commit(
                    commit(once, document.writtenBy(), new DocumentWrite.Delete(document.id(), List.of(key)))));
            apply(store.commit(commit(once, "", new DocumentWrite.Put(document, List.of(placed)))));
            Commit alone = commit(once, "", new DocumentWrite.Put(document("alone" + once, 0), List.of(key, placed)));
            PendingCommit pending = new PendingCommit(alone);
            new CommitGroup(List.of(pending), true).run(session, null);
            apply(pending.result());
        }
        Once once = new Once(store, Time.system(), OnceSettings.DEFAULTS.withQuota(QUOTA), OnceListener.NONE);
        OwnTransactions own = new OwnTransactions(source, store, once);
        for (String user : List.of("user-7", "somebody")) {
            Fingerprint any = Fingerprint.ofJson("{}");
            own.run(Call.of(new OnceKey(user, "POST /x", "own"), any), connection -> Response.of("done"));
            own.runEffectFirst(Call.of(new OnceKey(user, "POST /x", "first"), any), connection -> Response.of("done"));
        }
        new Sweeper(store, Time.system()).sweep();
        KeyQuery all = KeyQuery.all(50);
        store.housekeeping().list(all.ofUser("user-7"));
        for (KeyState rare : List.of(KeyState.PROCESSING, KeyState.FAILED, KeyState.UNKNOWN)) {
            store.housekeeping().list(all.in(rare));
            store.housekeeping().list(all.ofUser("user-7").in(rare));
        }
        KeyPage page = store.housekeeping().list(all);
        store.housekeeping().list(all.after(page.next().orElseThrow()));
        store.housekeeping().list(all.ofUser("user-7").ofClientTx("new-tx-1"));
        store.housekeeping().list(all.ofClientTx("tx-7"));
        for (KeyQuery some : List.of(all, all.in(KeyState.COMPLETED))) {
            store.housekeeping().list(some.ofEndpoint("POST /rare"));
            store.housekeeping().list(some.beginningWith("key-19999"));
        }
        store.housekeeping().list(all.createdBefore(old));
        store.housekeeping().list(all.createdBefore(old).in(KeyState.COMPLETED));
        store.housekeeping().list(all.createdBefore(old).ofUser("user-7"));
        store.housekeeping().list(all.createdBefore(old).ofEndpoint("POST /x"));
        store.housekeeping().list(all.createdBefore(old).ofEndpoint("POST /rare"));
        KeyPage ofNew = store.housekeeping().list(all.ofEndpoint("POST /new")); // of which none are among the old ones
        store.housekeeping().list(all.ofEndpoint("POST /new").after(ofNew.next().orElseThrow()));
        store.housekeeping().cleanups(10);
        store.housekeeping().cleanups(new Cleanup("documents", 0, Instant.now()), 10);
        store.housekeeping().erase("nobody", true);
    }

    private static void apply(CommitResult result) {
        assertThat(result).isInstanceOf(CommitResult.Applied.class);
    }

    private static Document document(String key, long place) {
        Instant now = Instant.now();
        return new Document(new DocumentId("things", "", key), 1, now, now, null, Json.of("{}"), "writer", place);
    }

    private Commit commit(boolean once, String writer, DocumentWrite write) {
        String attempt = "new-attempt-" + ++commits;
        return new Commit(attempt, once ? once() : null, Map.of(write.id(), writer), List.of(write));
    }

    private @Nullable OnceWrite once() {
        OnceRecord record = new OnceRecord(
                new OnceKey("user-7", "POST /x", "new-key-" + commits),
                "new-tx-" + commits,
                Fingerprint.ofJson("{}"),
                OnceStatus.COMPLETED,
                null,
                1,
                "",
                0,
                Instant.now(),
                null,
                null,
                Response.of("{}"));
        return new OnceWrite(Expected.ABSENT, record, Duration.ofHours(24), Duration.ofDays(30), QUOTA);
    }
}
