package dev.semel.postgres;

import dev.semel.id.IdSchemes;
import dev.semel.once.OwnTransaction.Claim;
import dev.semel.once.TransactionEndedException;
import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.OnceKey;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceWrite;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Sighting;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * What is asked and recorded of a key in a transaction that is not the store's own: each a round trip, together with what begins and
 * ends it. Everything that is set is set for the transaction alone.
 *
 * <p>Whoever writes a key holds its lock ({@link RowId}). It is tried in one statement, and the key looked up in a later one: so it is
 * seen what whoever had the lock before has committed. Who has it from then on finds the key as it was when they come to write it.
 *
 * <p>Where something does not hold, the statement has to fail, since what follows in the same round trip would commit. There are
 * functions that fail for a number, each in a way of its own that hardly anybody else will meet.
 */
final class KeySql {

    /** Takes the name of the transaction, the user and the lock; the name is kept if the transaction has one already. */
    private static final String ENTER = "set_config('semel.was_role', current_setting('role'), true),"
            + " set_config('semel.was_user', coalesce(current_setting('semel.user', true), ''), true),"
            + " set_config('semel.transaction', coalesce(nullif(current_setting('semel.transaction', true), ''), ?), true),"
            + " set_config('role', 'semel_app', true), set_config('semel.user', ?, true), ";

    private static final String LEAVE = "; select set_config('role', current_setting('semel.was_role'), true),"
            + " set_config('semel.user', current_setting('semel.was_user'), true)";

    /** What {@link Finding} asks for many keys, for one. */
    private static final String LOOK = "select t.now, %s as wait, e.*"
            + " from (select coalesce(?::timestamptz, clock_timestamp()) as now) t left join (select " + OnceRow.COLUMNS
            + " from idempotency_keys k where k.id = ?::uuid and k.user_id = ? and k.endpoint = ?"
            + " and k.idempotency_key = ?) e on true";

    private static final String WAIT = "case when e.client_tx_id is null or e.deadline <= t.now then"
            + " (select least(w.micros, (extract(epoch from k.created_at - t.now) * 1000000)::int8 + w.micros)"
            + " from (select ?::int8 as micros) w, idempotency_keys k where k.user_id = ?"
            + " and k.created_at > t.now - w.micros * interval '1 microsecond'"
            + " order by k.created_at desc offset ?::int8 - 1 limit 1) end";

    /** Claims a key in a transaction that was begun for it. */
    static final Claiming CLAIM = new Claiming("", "");

    /** Claims a key in the middle of a transaction, so that it is possible to go back to before and to after that. */
    static final Claiming JOIN = new Claiming("savepoint semel_key; ", "; savepoint semel_effects");

    /** Fails if the transaction has another name, as one has that was begun later. */
    private static final String SAME_TRANSACTION =
            "ln((coalesce(current_setting('semel.transaction', true), '') = ?)::int::float8), ";

    private static final String NOT_THE_SAME = "2201E";

    private static final String NOT_SO = "2201G";

    /** Fails with {@link #NOT_SO} unless a condition holds. */
    static String require(String condition) {
        return "width_bucket(0::float8, 0, 1, (" + condition + ")::int)";
    }

    private static final String ACT = "set_config('role', 'semel_app', true), set_config('semel.user', ?, true)";

    private static final String COUNT_ALONE = ", pg_advisory_xact_lock(?)";

    /** In a statement of its own, after those who counted before have committed. */
    private static final String COUNT = "; select "
            + require("not exists (select from (select ?::int8 as micros) w, idempotency_keys k where k.user_id = ?"
                    + " and k.created_at > coalesce(?::timestamptz, statement_timestamp()) - w.micros * interval '1 microsecond'"
                    + " order by k.created_at desc offset ?::int8 - 1 limit 1)");

    /** What may be JSON is in a row that is made when it runs, or else the planner would see whether it is. */
    private static final String INSERT = "; insert into idempotency_keys as k (id, user_id, endpoint, idempotency_key, "
            + String.join(", ", CommitSql.ONCE_COLUMNS)
            + ") select ?::uuid, ?, ?, ?, ?, ?,"
            + " case when pg_input_is_valid(t.payload, 'jsonb') then t.payload::jsonb end, ?,"
            + " coalesce(?::timestamptz, t.now), t.now + ?::int8 * interval '1 microsecond', null,"
            + " t.now + ?::int8 * interval '1 microsecond', null, ?::int4, ?,"
            + " nextval('semel_fences'), ?::int4, ?, ?, ?::bytea"
            + " from (select coalesce(?::timestamptz, clock_timestamp()) as now, ?::text as payload) t";

    private static final String RETURNING = " returning k.fence, k.created_at, k.expires_at";

    private static final String REPLACE = CommitSql.onConflictReplace() + RETURNING;

    /** Records a key that was claimed, and commits. */
    static final Recording CLAIMED =
            new Recording("select " + SAME_TRANSACTION + ACT, true, false, REPLACE, "; commit");

    /** Records a key that nobody has looked at, if it is new, and commits. */
    static final Recording UNCLAIMED = new Recording(
            "select " + require("pg_try_advisory_xact_lock(?)") + ", " + ACT, false, false, RETURNING, "; commit");

    /** Records a key that was claimed, goes back to who it was, and lets the transaction go on. */
    static final Recording JOINED = joined("");

    /** The same without what the operation wrote. */
    static final Recording JOINED_REFUSAL = joined("rollback to savepoint semel_effects; ");

    static final String UNJOIN = "rollback to savepoint semel_key; release savepoint semel_key";

    private static final String NO_SAVEPOINT = "3B001";

    private static Recording joined(String before) {
        String enter = before + "select " + SAME_TRANSACTION + ENTER + "true";
        return new Recording(enter, true, true, REPLACE, LEAVE + "; release savepoint semel_key");
    }

    private KeySql() {}

    /** A claim, and the name of the transaction in which it was made. */
    record Claimed(Claim claim, String transaction) {}

    /** How a key is claimed: tries the lock, looks up the key, and goes back to who it was. */
    static final class Claiming {

        private final String plain;
        private final String counted;

        private Claiming(String before, String after) {
            String lock = before + "select " + ENTER + "pg_try_advisory_xact_lock(?); ";
            this.plain = lock + LOOK.formatted("0::int8") + LEAVE + after;
            this.counted = lock + LOOK.formatted(WAIT) + LEAVE + after;
        }

        Claimed run(Connection connection, OnceKey key, Quota quota, @Nullable Instant now) throws SQLException {
            RowId id = RowId.of(key);
            try (PreparedStatement statement = connection.prepareStatement(quota.isLimited() ? counted : plain)) {
                Parameters to = new Parameters(statement)
                        .text(IdSchemes.TID62.mint())
                        .text(key.user())
                        .number(id.lock());
                if (quota.isLimited()) {
                    to.number(Objects.requireNonNull(CommitGroup.micros(quota.window())))
                            .text(key.user())
                            .number(quota.limit());
                }
                to.time(now)
                        .text(id.uuid().toString())
                        .text(key.user())
                        .text(key.endpoint())
                        .text(key.key());
                statement.execute();
                ResultSet entered = rows(statement);
                String transaction = entered.getString(3);
                boolean free = entered.getBoolean(6);
                statement.getMoreResults();
                return new Claimed(new Claim(seen(key, rows(statement)), free, true), transaction);
            }
        }

        private static Sighting seen(OnceKey key, ResultSet row) throws SQLException {
            Duration wait = Duration.of(row.getLong(2), ChronoUnit.MICROS);
            return new Sighting(OnceRow.read(key, row, 3), OnceRow.instant(row, 1), wait);
        }
    }

    /** Whether a transaction is not the one that was named any more; if it can do nothing any more, it is. */
    static boolean hasEnded(Connection connection, String transaction) {
        try (PreparedStatement statement =
                connection.prepareStatement("select coalesce(current_setting('semel.transaction', true), '')")) {
            return !rows(statement.executeQuery()).getString(1).equals(transaction);
        } catch (SQLException e) {
            return false;
        }
    }

    /** The first rows that a statement has returned, at the first of them. */
    private static ResultSet rows(PreparedStatement statement) throws SQLException {
        while (statement.getResultSet() == null) {
            statement.getMoreResults();
        }
        return rows(statement.getResultSet());
    }

    private static ResultSet rows(ResultSet rows) throws SQLException {
        rows.next();
        return rows;
    }

    /** How a key is recorded. */
    static final class Recording {

        private final boolean claimed;
        private final boolean joined;
        private final String plain;
        private final String counted;

        private Recording(String before, boolean claimed, boolean joined, String after, String end) {
            this.claimed = claimed;
            this.joined = joined;
            this.plain = before + INSERT + after + end;
            this.counted = before + COUNT_ALONE + COUNT + INSERT + after + end;
        }

        /**
         * Records a key.
         *
         * @param transaction what the transaction was named when the key was claimed, if it was
         * @throws TransactionEndedException if that has ended
         * @throws SQLException if the server refuses, or if it is not certain what it has done
         */
        CommitResult run(Connection connection, String transaction, Commit commit, @Nullable Instant now)
                throws SQLException {
            OnceWrite write = Objects.requireNonNull(commit.once());
            boolean counts = write.isNewKey() && write.quota().isLimited();
            try (PreparedStatement statement = connection.prepareStatement(counts ? counted : plain)) {
                Parameters to = new Parameters(statement);
                bindBefore(to, transaction, write.record().key());
                if (counts) {
                    to.number(RowId.ofUser(write.record().key().user()).lock())
                            .number(Objects.requireNonNull(
                                    CommitGroup.micros(write.quota().window())))
                            .text(write.record().key().user())
                            .time(now)
                            .number(write.quota().limit());
                }
                bind(to, commit.attempt(), write, now);
                statement.execute();
                rows(statement);
                for (int passed = counts ? 2 : 1; passed > 0; passed--) {
                    statement.getMoreResults();
                }
                return new CommitResult.Applied(OnceRow.written(commit, rows(statement), 1));
            } catch (SQLException e) {
                return refused(e);
            }
        }

        private void bindBefore(Parameters to, String transaction, OnceKey key) throws SQLException {
            if (joined) {
                to.text(transaction).text(transaction).text(key.user());
            } else if (claimed) {
                to.text(transaction).text(key.user());
            } else {
                to.number(RowId.of(key).lock()).text(key.user());
            }
        }

        private static void bind(Parameters to, String attempt, OnceWrite write, @Nullable Instant now)
                throws SQLException {
            OnceRecord record = write.record();
            Response response = Objects.requireNonNull(record.response());
            to.text(RowId.of(record.key()).uuid().toString())
                    .text(record.key().user())
                    .text(record.key().endpoint())
                    .text(record.key().key())
                    .text(record.clientTxId())
                    .text(record.fingerprint().hex())
                    .text(OnceRow.name(record.status()))
                    .time(write.isNewKey() ? null : record.createdAt())
                    .number(micros(write.life()))
                    .number(micros(write.life()) + micros(write.afterlife()))
                    .number(record.attempts())
                    .text(attempt)
                    .number(response.status())
                    .text(OnceRow.kind(response))
                    .text(HeaderText.of(response.headers()))
                    .bytes(response.body())
                    .time(now)
                    .text(OnceRow.payload(response));
        }

        private static long micros(@Nullable Duration time) {
            return Objects.requireNonNull(CommitGroup.micros(time));
        }

        private static CommitResult refused(SQLException e) throws SQLException {
            String state = String.valueOf(e.getSQLState());
            if (state.equals(NOT_SO) || isKnownKey(e)) {
                return new CommitResult.OnceChanged();
            }
            if (state.equals(NOT_THE_SAME) || state.equals(NO_SAVEPOINT)) {
                throw new TransactionEndedException(e);
            }
            throw e;
        }

        private static boolean isKnownKey(SQLException e) {
            ServerErrorMessage told = e instanceof PSQLException failure ? failure.getServerErrorMessage() : null;
            return told != null
                    && "23505".equals(told.getSQLState())
                    && "idempotency_keys_pkey".equals(told.getConstraint());
        }
    }

    /** What to count by; null for the database's time. */
    interface Clock extends Supplier<@Nullable Instant> {}
}
