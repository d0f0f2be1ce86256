package dev.semel.postgres;

import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.OnceWrite;
import dev.semel.store.Response;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The insert of once-records, as they are when nothing has to be looked at. */
final class KeyInsert {

    private static final RowSource ROWS = RowSource.of(
            "id uuid",
            "user_id text",
            "endpoint text",
            "idempotency_key text",
            "client_tx_id text",
            "payload_hash text",
            "status text",
            "if_abandoned text",
            "created_at timestamptz",
            "expires_in int8",
            "leased_for int8",
            "forgotten_in int8",
            "attempts int8",
            "attempt text",
            "response_status int8",
            "response_kind text",
            "response_headers text",
            "response_body bytea",
            "response_payload text");

    /** A text as JSON; null where it is none that jsonb can hold. In a query of its own, or else the planner would look into the text. */
    private static final String JSON = "(select case when pg_input_is_valid(p.text, 'jsonb') then p.text::jsonb end"
            + " from (select %s as text offset 0) p)";

    private KeyInsert() {}

    /**
     * The statement, of a table that is called k.
     *
     * @param shape of how many rows
     * @param now what time it is; null if the database is to say
     */
    static String sql(int shape, @Nullable Instant now) {
        String time = now == null ? "statement_timestamp()" : "'" + Parameters.kept(now) + "'::timestamptz";
        String later = time + " + %s * interval '1 microsecond'";
        return "insert into idempotency_keys as k (id, user_id, endpoint, idempotency_key, client_tx_id, payload_hash,"
                + " status, if_abandoned, created_at, expires_at, lease_until, forgotten_at, attempts, attempt_id, fence,"
                + " response_status, response_kind, response_headers, response_body, response_payload) "
                + ROWS.inserted("o", shape, name -> switch (name) {
                    case "created_at" -> "coalesce(%s, " + time + ")";
                    case "expires_in", "leased_for", "forgotten_in" -> later;
                    case "attempt" -> "%s, nextval('semel_fences')";
                    case "response_payload" -> JSON;
                    default -> "%s";
                });
    }

    /** The row of a record that is written. */
    static List<@Nullable Object> values(RowId id, String attempt, OnceWrite write) {
        OnceRecord record = write.record();
        Response response = record.response();
        boolean leased = record.status() == OnceStatus.PROCESSING;
        Long life = CommitGroup.micros(write.life());
        return RowSource.row(
                id.uuid(),
                record.key().user(),
                record.key().endpoint(),
                record.key().key(),
                record.clientTxId(),
                record.fingerprint().hex(),
                OnceRow.name(record.status()),
                OnceRow.name(record.ifAbandoned()),
                write.isNewKey() ? null : record.createdAt(),
                leased ? null : life,
                leased ? life : null,
                life == null ? null : life + Objects.requireNonNull(CommitGroup.micros(write.afterlife())),
                (long) record.attempts(),
                attempt,
                response == null ? null : (long) response.status(),
                OnceRow.kind(response),
                response == null ? null : HeaderText.of(response.headers()),
                response == null ? null : response.body(),
                OnceRow.payload(response));
    }

    static void bind(Parameters to, List<List<@Nullable Object>> rows) throws SQLException {
        ROWS.bind(to, rows);
    }
}
