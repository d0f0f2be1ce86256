package dev.semel.postgres;

import dev.semel.json.Fingerprint;
import dev.semel.store.Commit;
import dev.semel.store.IfAbandoned;
import dev.semel.store.OnceKey;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.OnceWrite;
import dev.semel.store.Response;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How a once-record is spelled in its table. */
final class OnceRow {

    /** What {@link #read} reads, from a table that is called k. */
    static final String COLUMNS =
            "k.client_tx_id, k.payload_hash, k.status, k.if_abandoned, k.attempts, k.attempt_id, k.fence,"
                    + " k.created_at, coalesce(k.lease_until, k.expires_at) as deadline, k.forgotten_at,"
                    + " k.response_status, k.response_kind, k.response_headers, k.response_body";

    /** The same without what was answered. */
    static final String COLUMNS_UNANSWERED = COLUMNS.substring(0, COLUMNS.indexOf("k.response_status"))
            + "k.response_status, case when k.response_kind like 'refusal%' then 'refusal_not_kept'"
            + " when k.response_kind is not null then 'not_kept' end as response_kind, '' as response_headers,"
            + " ''::bytea as response_body";

    /** What {@link #values} gives. */
    static final RowSource WRITTEN = RowSource.of(
            "id uuid",
            "user_id text",
            "endpoint text",
            "idempotency_key text",
            "client_tx_id text",
            "payload_hash text",
            "status text",
            "if_abandoned text",
            "expires_in int8",
            "leased_for int8",
            "forgotten_in int8",
            "response_status int8",
            "response_kind text",
            "response_headers text",
            "response_body bytea",
            "response_payload text");

    private static final int DEEPEST = 500;

    private OnceRow() {}

    /** What is known of a record that is written before it is. */
    static List<@Nullable Object> values(RowId id, OnceWrite write) {
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
                name(record.status()),
                name(record.ifAbandoned()),
                leased ? null : life,
                leased ? life : null,
                life == null ? null : life + Objects.requireNonNull(CommitGroup.micros(write.afterlife())),
                response == null ? null : (long) response.status(),
                kind(response),
                response == null ? null : HeaderText.of(response.headers()),
                response == null ? null : response.body(),
                payload(response));
    }

    /** The record whose columns begin at a given one; null if they are all null. */
    static @Nullable OnceRecord read(OnceKey key, ResultSet row, int first) throws SQLException {
        String clientTxId = row.getString(first);
        if (clientTxId == null) {
            return null;
        }
        return new OnceRecord(
                key,
                clientTxId,
                Fingerprint.parse(row.getString(first + 1)),
                OnceStatus.valueOf(row.getString(first + 2).toUpperCase(Locale.ROOT)),
                ifAbandoned(row.getString(first + 3)),
                row.getInt(first + 4),
                row.getString(first + 5),
                row.getLong(first + 6),
                instant(row, first + 7),
                optionalInstant(row, first + 8),
                optionalInstant(row, first + 9),
                response(row, first + 10));
    }

    /** The record of a commit as it was written: its fence, creation and deadline are in the columns from a given one on. */
    static OnceRecord written(Commit commit, ResultSet row, int first) throws SQLException {
        OnceWrite write = Objects.requireNonNull(commit.once());
        OnceRecord record = write.record();
        Instant deadline = optionalInstant(row, first + 2);
        return new OnceRecord(
                record.key(),
                record.clientTxId(),
                record.fingerprint(),
                record.status(),
                record.ifAbandoned(),
                record.attempts(),
                commit.attempt(),
                row.getLong(first),
                instant(row, first + 1),
                deadline,
                deadline == null ? null : deadline.plus(write.afterlife().truncatedTo(ChronoUnit.MICROS)),
                record.response());
    }

    static Instant instant(ResultSet row, int column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    static @Nullable Instant optionalInstant(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    private static @Nullable IfAbandoned ifAbandoned(@Nullable String name) {
        return name == null ? null : IfAbandoned.valueOf(name.toUpperCase(Locale.ROOT));
    }

    static @Nullable String name(@Nullable Enum<?> value) {
        return value == null ? null : value.name().toLowerCase(Locale.ROOT);
    }

    private static @Nullable Response response(ResultSet row, int first) throws SQLException {
        String kind = row.getString(first + 1);
        if (kind == null) {
            return null;
        }
        Response response =
                Response.of(row.getInt(first), HeaderText.headers(row.getString(first + 2)), row.getBytes(first + 3));
        response = kind.startsWith("refusal") ? response.asRefusal() : response;
        return kind.endsWith("not_kept") ? response.notKept() : response;
    }

    static @Nullable String kind(@Nullable Response response) {
        if (response == null) {
            return null;
        }
        String kind = response.isKept() ? "kept" : "not_kept";
        return !response.isRefusal() ? kind : response.isKept() ? "refusal" : "refusal_" + kind;
    }

    /** Whether the database might fail to tell if it is JSON, for lack of a stack. */
    private static boolean isDeep(String text) {
        int depth = 0;
        boolean quoted = false;
        for (int i = 0; i < text.length() && depth <= DEEPEST; i++) {
            char c = text.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (quoted) {
                i += c == '\\' ? 1 : 0;
            } else if (c == '[' || c == '{') {
                depth++;
            } else if (c == ']' || c == '}') {
                depth--;
            }
        }
        return depth > DEEPEST;
    }

    /** The body of a response as a text that may be JSON; null if it cannot be. */
    static @Nullable String payload(@Nullable Response response) {
        byte[] body = response == null ? new byte[0] : response.body();
        int start = 0;
        while (start < body.length && body[start] <= ' ') {
            start++;
        }
        if (start == body.length || "{[\"-0123456789tfn".indexOf(body[start]) < 0) {
            return null;
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString();
            return text.indexOf('\0') < 0 && !isDeep(text) ? text : null;
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
