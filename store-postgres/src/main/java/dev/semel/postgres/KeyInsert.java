package dev.semel.postgres;

import dev.semel.store.OnceRecord;
import dev.semel.store.OnceWrite;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The insert of once-records, as they are when nothing has to be looked at. */
final class KeyInsert {

    private static final RowSource ROWS =
            OnceRow.WRITTEN.with("created_at timestamptz", "attempts int8", "attempt text");

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
                + " status, if_abandoned, expires_at, lease_until, forgotten_at, response_status, response_kind, response_headers,"
                + " response_body, response_payload, created_at, attempts, attempt_id, fence) "
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
        List<@Nullable Object> row = new ArrayList<>(OnceRow.values(id, write));
        row.add(write.isNewKey() ? null : record.createdAt());
        row.add((long) record.attempts());
        row.add(attempt);
        return row;
    }

    static void bind(Parameters to, List<List<@Nullable Object>> rows) throws SQLException {
        ROWS.bind(to, rows);
    }
}
