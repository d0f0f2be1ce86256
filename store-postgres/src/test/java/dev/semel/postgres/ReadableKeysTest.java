package dev.semel.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Fingerprint;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The view idempotency_keys. */
class ReadableKeysTest {

    private final DataSource database = Postgres.NEWEST.usedDatabase();
    private final PostgresOnceStore store =
            PostgresOnceStore.open(database, PostgresSettings.DEFAULTS.withoutMigration());

    @AfterEach
    void giveBack() {
        store.close();
        Postgres.NEWEST.giveBack(database);
    }

    private void complete(String key, byte[] body) {
        Call call = Call.of(Stored.key("ann", key), Fingerprint.ofJson("1"));
        Once.on(store).leased(call, IfAbandoned.RERUN, lease -> Response.of(201, Map.of("Location", "/" + key), body));
    }

    private void write(String key, Status status, @Nullable IfAbandoned ifAbandoned) {
        IdempotencyRecord record = IdempotencyRecord.builder(
                        Stored.key("ann", key), "tx-" + key, Fingerprint.ofJson("1"))
                .status(status)
                .ifAbandoned(ifAbandoned)
                .outcome(503)
                .cause("It is closed")
                .build();
        Duration ttl = status == Status.UNKNOWN ? null : Duration.ofHours(1);
        store.compareAndSet(
                "c-" + key, new IdempotencyWrite(Precondition.ABSENT, record, ttl, Duration.ofDays(1), Quota.NONE));
    }

    /** The query of the docs, with parameters as the driver writes them. */
    private List<String> select(String sql, String... parameters) throws SQLException {
        try (Connection connection = database.getConnection()) {
            connection.createStatement().execute("set search_path to semel");
            try (PreparedStatement statement = connection.prepareStatement(sql.replaceAll("\\$\\d", "?"))) {
                for (int i = 0; i < parameters.length; i++) {
                    statement.setString(i + 1, parameters[i]);
                }
                List<String> rows = new ArrayList<>();
                try (ResultSet found = statement.executeQuery()) {
                    while (found.next()) {
                        rows.add(found.getString(1));
                    }
                }
                return rows;
            }
        }
    }

    @Test
    void statementsOfTheGuide_runAsTheyAreWritten() throws SQLException {
        complete("k", "{}".getBytes(UTF_8));
        complete("old", "{}".getBytes(UTF_8));
        write("failed", Status.FAILED, null);
        write("running", Status.PROCESSING, IfAbandoned.RERUN);
        Postgres.execute(
                database,
                "update idempotency_records set deadline = now() - interval '1 minute' where idempotency_key in ('old', 'failed', 'running')");

        assertThat(select("""
                          SELECT * FROM idempotency_keys
                          WHERE idempotency_key = $1 AND user_id = $2 AND endpoint = $3
                        """, "k", "ann", "POST /payments")).hasSize(1);
        assertThat(select("""
                SELECT COUNT(*) FROM idempotency_keys
                WHERE user_id = $1
                  AND created_at > now() - INTERVAL '1 hour';
                """, "ann")).containsExactly("4");
        assertThat(select("""
                  SELECT idempotency_key FROM idempotency_keys
                  WHERE expires_at < now()
                    AND status IN ('completed', 'failed');
                """)).containsExactlyInAnyOrder("old", "failed");
    }

    @Test
    void rows_areShownInWords() throws SQLException {
        complete("done", "{\"a\": [1, 2]}".getBytes(UTF_8));
        write("running", Status.PROCESSING, IfAbandoned.FREEZE);
        write("failed", Status.FAILED, null);
        write("unknown", Status.UNKNOWN, null);
        assertThat(select("select concat_ws(' ', idempotency_key, status, if_abandoned, response_status, response_kind,"
                        + " response_payload -> 'a' ->> 1, case when expires_at is null then '-' else 'expires' end,"
                        + " case when lease_until is null then '-' else 'leased' end, user_id, endpoint, attempts)"
                        + " from idempotency_keys order by idempotency_key"))
                .containsExactly(
                        "done completed rerun 201 kept 2 expires - ann POST /payments 1",
                        "failed failed 503 expires - ann POST /payments 1",
                        "running processing freeze - leased ann POST /payments 1",
                        "unknown unknown - - ann POST /payments 1");
        assertThat(select("select cause from idempotency_keys where cause is not null"))
                .containsExactly("It is closed");
        assertThat(select("select distinct payload_hash from idempotency_keys"))
                .containsExactly(Fingerprint.ofJson("1").hex());
        assertThat(select("select client_tx_id || ' ' || commit_id from idempotency_keys where status = 'failed'"))
                .containsExactly("tx-failed c-failed");
    }

    @Test
    void bodyThatIsNotJson_isShownAsNull_andReplayedAsItIs() throws SQLException {
        byte[][] bodies = {
            {},
            {0},
            {(byte) 0xff, 1},
            "not json".getBytes(UTF_8),
            "\"\\u0000\"".getBytes(UTF_8),
            ("[".repeat(100_000) + "]".repeat(100_000)).getBytes(UTF_8)
        };
        for (int i = 0; i < bodies.length; i++) {
            complete("k" + i, bodies[i]);
            IdempotencyRecord record = store.find(Stored.key("ann", "k" + i)).record();
            Response response = Objects.requireNonNull(record).response();
            assertThat(Objects.requireNonNull(response).body()).isEqualTo(bodies[i]);
        }
        assertThat(select("select count(*) || ' ' || count(response_payload) from idempotency_keys"))
                .containsExactly(bodies.length + " 0");
    }

    @Test
    void cleanupFunction_deletesOneBatch_andLogsIt() throws SQLException {
        for (int i = 0; i < 3; i++) {
            complete("k" + i, "{}".getBytes(UTF_8));
        }
        write("frozen", Status.PROCESSING, IfAbandoned.FREEZE);
        Postgres.execute(
                database,
                "update idempotency_records set deadline = now() - interval '1 day';"
                        + " update idempotency_records set purge_at = deadline where idempotency_key = 'k0'");
        assertThat(select("select cleanup_expired_idempotency_keys()")).containsExactly("3");
        assertThat(select("select table_name || ' ' || deleted_count from cleanup_logs order by 1"))
                .containsExactly("idempotency_keys 2", "tombstones 1");
        assertThat(
                        select(
                                "select concat_ws(' ', idempotency_key, status, response_status) from idempotency_keys where response_body is null order by 1"))
                .containsExactly("frozen unknown", "k1 completed 201", "k2 completed 201");
        assertThat(select("select cleanup_expired_idempotency_keys()")).containsExactly("0");
        assertThat(select("select count(*) from cleanup_logs")).containsExactly("4");
    }

    @Test
    void cleanupFunction_endsAfterABatch_howeverMuchHasExpired() throws SQLException {
        Postgres.execute(
                database,
                "insert into idempotency_records (id, idempotency_key, client_tx_id, user_id, endpoint, payload_hash, status,"
                        + " created_at, deadline, purge_at, attempts, commit_id, fencing_token)"
                        + " select gen_random_uuid(), 'k' || n, 't', 'ann', 'e', '', 3, now(), now(), now(), 1, 'a', n"
                        + " from generate_series(1, 1500) n");
        assertThat(select("select cleanup_expired_idempotency_keys()")).containsExactly("1000");
        assertThat(select("select cleanup_expired_idempotency_keys()")).containsExactly("500");
    }

    @Test
    void keyOfAnyUser_isFoundByTheSameDigest() {
        IdempotencyKey key = new IdempotencyKey("ann", "POST /" + "x".repeat(2000), "k");
        store.compareAndSet("a", Stored.completed(key, "tx", Quota.NONE));
        assertThat(store.find(key).record()).isNotNull();
    }
}
