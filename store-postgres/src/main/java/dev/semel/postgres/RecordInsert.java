package dev.semel.postgres;

import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyWrite;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Builds INSERT statements of idempotency records. The table has the alias k. */
final class RecordInsert {

    /** The given rows. {@code ttl} and {@code purge_after} are microseconds from the commit on; {@code created_at} of a new key is null. */
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
            "cause text",
            "created_at timestamptz",
            "attempts int8",
            "commit_id text");

    private static final String COLUMNS =
            ROWS.names().stream().map(RecordInsert::column).collect(Collectors.joining(", ")) + ", fencing_token";

    private static final List<String> KEY = List.of("id", "user_id", "endpoint", "idempotency_key");

    private static final String INTO = "insert into {schema}.idempotency_records as k (" + COLUMNS + ") ";

    /** One statement has one time. */
    private static final String NOW = "statement_timestamp()";

    private RecordInsert() {}

    /**
     * Returns a statement that inserts given rows as starts of new keys.
     *
     * @param shape the {@linkplain RowSource#shape shape} of the rows
     * @param now the time for tests; null for the database's time
     */
    static String values(int shape, @Nullable Instant now) {
        String time = now == null ? NOW : "'" + Parameters.stored(now) + "'::timestamptz";
        return INTO + ROWS.inserted("r", shape, name -> expression(name, time), ", " + micros(time));
    }

    /**
     * Returns a statement that inserts the rows of a query. The query has the given columns, the time as {@code now} and the fencing token
     * as {@code new_fencing_token}.
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

    /** Returns an expression for the microseconds since 1970, which are the first fencing token of a key. */
    static String micros(String time) {
        return "(extract(epoch from " + time + ") * 1000000)::int8";
    }

    /**
     * Returns a clause that makes an insert replace an existing record. Starts that still count for the quota are kept.
     *
     * @param fencingToken expression for the fencing token of the replaced record
     */
    static String onConflictReplace(String fencingToken) {
        String replaced = ROWS.names().stream()
                .filter(name -> !KEY.contains(name))
                .map(name -> column(name) + " = excluded." + column(name))
                .collect(Collectors.joining(", "));
        // If two keys had the same hash, user_id would become null, and the second key would be rejected.
        return """
                 on conflict (id) do update set %s, fencing_token = %s,
                  quota_starts = case when k.created_at = excluded.created_at then k.quota_starts else nullif(array(
                    select s.start from unnest(k.quota_starts || k.created_at) s(start)
                    where s.start > excluded.created_at - interval '1 hour'), '{}') end,
                  user_id = case when k.user_id = excluded.user_id and k.endpoint = excluded.endpoint
                    and k.idempotency_key = excluded.idempotency_key then k.user_id end
                """.formatted(replaced, fencingToken);
    }

    /** Returns the row of a record that is written. */
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
