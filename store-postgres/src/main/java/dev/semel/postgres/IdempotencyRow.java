package dev.semel.postgres;

import dev.semel.json.Fingerprint;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Converts between idempotency records and rows of their table. Codes start at 1. */
final class IdempotencyRow {

    private static final List<Status> STATUSES =
            List.of(Status.PROCESSING, Status.COMPLETED, Status.FAILED, Status.UNKNOWN);

    private static final List<IfAbandoned> IF_ABANDONED = List.of(IfAbandoned.RERUN, IfAbandoned.FREEZE);

    private static final int KEPT = 1;
    private static final int NOT_KEPT = 2;
    private static final int REFUSAL = 3;
    private static final int REFUSAL_NOT_KEPT = 4;

    /** The columns that {@link #read} reads, of a table with the alias k. */
    static final String COLUMNS = "k.client_tx_id, k.payload_hash, k.status, k.if_abandoned, k.attempts, k.commit_id,"
            + " k.fencing_token, k.created_at, k.deadline, k.purge_at,"
            + " k.response_status, k.response_kind, k.response_headers, k.response_body, k.cause";

    /** The columns that {@link #read} reads, with placeholders for headers and body of the response. */
    static final String COLUMNS_WITHOUT_BODY = COLUMNS.substring(0, COLUMNS.indexOf("k.response_kind"))
            + "case when k.response_kind >= " + REFUSAL + " then " + REFUSAL_NOT_KEPT
            + " when k.response_kind is not null then " + NOT_KEPT + " end as response_kind,"
            + " null::text as response_headers, ''::bytea as response_body, k.cause";

    private IdempotencyRow() {}

    /** Returns the columns of a record that are known before it is written. */
    static List<@Nullable Object> values(RowId id, IdempotencyWrite write) {
        IdempotencyRecord record = write.record();
        Response response = record.response();
        Long ttl = CommitGroup.micros(write.ttl());
        return RowSource.row(
                id.uuid(),
                record.key().user(),
                record.key().endpoint(),
                record.key().key(),
                record.clientTxId(),
                record.fingerprint().bytes(),
                code(record.status()),
                code(record.ifAbandoned()),
                ttl,
                ttl == null ? null : ttl + Objects.requireNonNull(CommitGroup.micros(write.tombstoneTtl())),
                record.outcome() == null ? null : (Long) record.outcome().longValue(),
                kind(response),
                response == null || response.headers().isEmpty() ? null : HeaderText.of(response.headers()),
                response == null ? null : response.body(),
                record.cause());
    }

    static @Nullable Long code(@Nullable Status status) {
        return status == null ? null : STATUSES.indexOf(status) + 1L;
    }

    static @Nullable Long code(@Nullable IfAbandoned ifAbandoned) {
        return ifAbandoned == null ? null : IF_ABANDONED.indexOf(ifAbandoned) + 1L;
    }

    private static @Nullable Long kind(@Nullable Response response) {
        if (response == null) {
            return null;
        }
        return (response.isRefusal() ? REFUSAL : KEPT) + (response.isKept() ? 0L : 1L);
    }

    /** Reads a record whose columns start at a given one; null if they are null. */
    static @Nullable IdempotencyRecord read(IdempotencyKey key, ResultSet row, int first) throws SQLException {
        String clientTxId = row.getString(first);
        if (clientTxId == null) {
            return null;
        }
        int ifAbandoned = row.getInt(first + 3);
        return IdempotencyRecord.builder(key, clientTxId, Fingerprint.ofHash(row.getBytes(first + 1)))
                .status(STATUSES.get(row.getInt(first + 2) - 1))
                .ifAbandoned(ifAbandoned == 0 ? null : IF_ABANDONED.get(ifAbandoned - 1))
                .attempts(row.getInt(first + 4))
                .commitId(row.getString(first + 5))
                .fencingToken(row.getLong(first + 6))
                .createdAt(instant(row, first + 7))
                .deadline(optionalInstant(row, first + 8))
                .purgeAt(optionalInstant(row, first + 9))
                .response(response(row, first + 10))
                .outcome(row.getObject(first + 10, Integer.class))
                .cause(row.getString(first + 14))
                .build();
    }

    private static @Nullable Response response(ResultSet row, int first) throws SQLException {
        int kind = row.getInt(first + 1);
        if (kind == 0) {
            return null;
        }
        String headers = row.getString(first + 2);
        Response response = Response.of(
                row.getInt(first), headers == null ? Map.of() : HeaderText.headers(headers), row.getBytes(first + 3));
        response = kind >= REFUSAL ? response.asRefusal() : response;
        return kind == NOT_KEPT || kind == REFUSAL_NOT_KEPT ? response.notKept() : response;
    }

    /** Returns a record as it was written. Its fencing token, creation and deadline start at a given column. */
    static IdempotencyRecord written(String commitId, IdempotencyWrite write, ResultSet row, int first)
            throws SQLException {
        Instant deadline = optionalInstant(row, first + 2);
        return write.record().toBuilder()
                .commitId(commitId)
                .fencingToken(row.getLong(first))
                .createdAt(instant(row, first + 1))
                .deadline(deadline)
                .purgeAt(
                        deadline == null
                                ? null
                                : deadline.plus(write.tombstoneTtl().truncatedTo(ChronoUnit.MICROS)))
                .build();
    }

    static Instant instant(ResultSet row, int column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    static @Nullable Instant optionalInstant(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
