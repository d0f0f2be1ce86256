package dev.semel.postgres;

import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyWrite;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The insert of idempotency records, in a table that is called k. */
final class RecordInsert {

    /** The rows that are given: times are in microseconds from the commit on, and a key that is new has no creation yet. */
    static final RowSource ROWS = RowSource.of(
            "id uuid",
            "user_id text",
            "endpoint text",
            "idempotency_key text",
            "client_tx_id text",
            "payload_hash bytea",
            "status int8",
            "if_abandoned int8",
            "ttl int8",
            "purge_after int8",
            "response_status int8",
            "response_kind int8",
            "response_headers text",
            "response_body bytea",
            "created_at timestamptz",
            "attempts int8",
            "commit_id text");

    private static final String COLUMNS =
            ROWS.names().stream().map(RecordInsert::column).collect(Collectors.joining(", ")) + ", fencing_token";

    private static final List<String> KEY = List.of("id", "user_id", "endpoint", "idempotency_key");

    private static final String INTO = "insert into {schema}.idempotency_records as k (" + COLUMNS + ") ";

    /** Clock of a statement that inserts nothing but what it is given. */
    private static final String NOW = "statement_timestamp()";

    private RecordInsert() {}

    /**
     * Inserts given rows, as new starts of keys.
     *
     * @param shape of how many rows
     * @param now the time; null for the database's
     */
    static String values(int shape, @Nullable Instant now) {
        String time = now == null ? NOW : "'" + Parameters.stored(now) + "'::timestamptz";
        return INTO + ROWS.inserted("r", shape, name -> expression(name, time), ", " + micros(time));
    }

    /**
     * Inserts the rows of a query, which has their columns, the time as {@code now} and the fencing token as {@code
     * new_fencing_token}.
     */
    static String select(String query) {
        String values = ROWS.names().stream()
                .map(name -> expression(name, "d.now").replace("%s", "d." + name))
                .collect(Collectors.joining(", "));
        return INTO + "select " + values + ", d.new_fencing_token from " + query;
    }

    private static String column(String name) {
        return switch (name) {
            case "ttl" -> "deadline";
            case "purge_after" -> "purge_at";
            default -> name;
        };
    }

    private static String expression(String name, String now) {
        return switch (name) {
            case "ttl", "purge_after" -> now + " + %s * interval '1 microsecond'";
            case "created_at" -> "coalesce(%s, " + now + ")";
            default -> "%s";
        };
    }

    /** A time as a fencing token. */
    static String micros(String time) {
        return "(extract(epoch from " + time + ") * 1000000)::int8";
    }

    /**
     * Makes an insert replace the record that is there. A start that still counts for the quota is kept when the key is started anew.
     *
     * @param fencingToken of the record then
     */
    static String onConflictReplace(String fencingToken) {
        String replaced = ROWS.names().stream()
                .filter(name -> !KEY.contains(name))
                .map(name -> column(name) + " = excluded." + column(name))
                .collect(Collectors.joining(", "));
        // Two keys with one id have never been seen; should there be any, the second fails instead of replacing the
        // first.
        return """
                 on conflict (id) do update set %s, fencing_token = %s,
                  quota_starts = case when k.created_at = excluded.created_at then k.quota_starts else nullif(array(
                    select s.start from unnest(k.quota_starts || k.created_at) s(start)
                    where s.start > excluded.created_at - interval '1 hour'), '{}') end,
                  user_id = case when k.user_id = excluded.user_id and k.endpoint = excluded.endpoint
                    and k.idempotency_key = excluded.idempotency_key then k.user_id end
                """.formatted(replaced, fencingToken);
    }

    /** The row of a record that is written. */
    static List<@Nullable Object> row(RowId id, String commitId, IdempotencyWrite write) {
        IdempotencyRecord record = write.record();
        List<@Nullable Object> row = new ArrayList<>(IdempotencyRow.values(id, write));
        row.add(write.isNewKey() ? null : record.createdAt());
        row.add((long) record.attempts());
        row.add(commitId);
        return row;
    }

    static void bind(Parameters to, List<List<@Nullable Object>> rows) throws SQLException {
        ROWS.bind(to, rows);
    }
}
