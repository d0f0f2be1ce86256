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
import dev.semel.store.Sighting;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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

    /** Claims a key in a transaction that was begun for it. */
    static final Claiming CLAIM = new Claiming("", "");

    /** Claims a key in the middle of a transaction, so that it is possible to go back to before and to after that. */
    static final Claiming JOIN = new Claiming("savepoint semel_key; ", "; savepoint semel_effects");

    /** Fails if the transaction has another name, as one has that was begun later. */
    private static final String SAME_TRANSACTION =
            "ln((coalesce(current_setting('semel.transaction', true), '') = ?)::int::float8), ";

    private static final String NOT_THE_SAME = "2201E";

    private static final String NOT_SO = "2201G";

    private static final String NOT_UNIQUE = "23505";

    /** Fails with {@link #NOT_SO} unless a condition holds. */
    static String require(String condition) {
        return "width_bucket(0::float8, 0, 1, (" + condition + ")::int)";
    }

    /** Whether a statement was refused that was written so as to be refused where something is otherwise: no fault of anybody. */
    static boolean isAnswer(SQLException e) {
        return NOT_SO.equals(e.getSQLState()) || NOT_UNIQUE.equals(e.getSQLState());
    }

    private static final String ACT = "set_config('role', 'semel_app', true), set_config('semel.user', ?, true)";

    private static final String COUNT_ALONE = ", pg_advisory_xact_lock(?)";

    /** In a statement of its own, after those who counted before have committed. */
    private static final String COUNT = "; select "
            + require("not exists (select from semel_starts k where k.user_id = ? and k.created_at >"
                    // as a subselect, or else the rows of the user are gone through: row level security comes first
                    + " (select coalesce(?::timestamptz, statement_timestamp()) - ?::int8 * interval '1 microsecond')"
                    + " order by k.created_at desc offset ?::int8 - 1 limit 1)");

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

        private final String before;
        private final String after;

        private Claiming(String before, String after) {
            this.before =
                    before + "select " + ENTER + "pg_try_advisory_xact_lock(?)" + Session.TIME + "; " + Finding.ONE;
            this.after = LEAVE + after;
        }

        Claimed run(Connection connection, OnceKey key, Quota quota, @Nullable Instant now) throws SQLException {
            RowId id = RowId.of(key);
            Finding.Waiting waiting = new Finding.Waiting();
            waiting.add(0, id, key.user(), quota);
            try (PreparedStatement statement = connection.prepareStatement(before + waiting.sql() + after)) {
                Parameters to = new Parameters(statement)
                        .text(IdSchemes.TID62.mint())
                        .text(key.user())
                        .number(id.lock())
                        .time(now)
                        .text(id.uuid().toString());
                waiting.bind(to, now);
                statement.execute();
                Session.Results results = new Session.Results(statement);
                ResultSet entered = first(results.next());
                String transaction = entered.getString(3);
                boolean free = entered.getBoolean(6);
                Instant time = OnceRow.instant(entered, 7);
                ResultSet found = results.next();
                OnceRecord record = found.next() ? Finding.record(key, found) : null;
                Duration wait = waiting.read(results).getOrDefault(0L, Duration.ZERO);
                return new Claimed(new Claim(new Sighting(record, time, wait), free, true), transaction);
            }
        }
    }

    /** Whether a transaction is not the one that was named any more; if it can do nothing any more, it is. */
    static boolean hasEnded(Connection connection, String transaction) {
        try (PreparedStatement statement =
                connection.prepareStatement("select coalesce(current_setting('semel.transaction', true), '')")) {
            return !first(statement.executeQuery()).getString(1).equals(transaction);
        } catch (SQLException e) {
            return false;
        }
    }

    private static ResultSet first(ResultSet rows) throws SQLException {
        rows.next();
        return rows;
    }

    /** How a key is recorded. */
    static final class Recording {

        private final boolean claimed;
        private final boolean joined;
        private final String before;
        private final String after;
        private final String plain;
        private final String counted;

        private Recording(String before, boolean claimed, boolean joined, String after, String end) {
            this.claimed = claimed;
            this.joined = joined;
            this.before = before;
            this.after = after + end;
            this.plain = sql(false, null);
            this.counted = sql(true, null);
        }

        private String sql(boolean counts, @Nullable Instant now) {
            return before + (counts ? COUNT_ALONE + COUNT : "") + "; " + KeyInsert.sql(1, now) + after;
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
            String sql = now != null ? sql(counts, now) : counts ? counted : plain;
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                Parameters to = new Parameters(statement);
                bindBefore(to, transaction, write.record().key());
                if (counts) {
                    to.number(RowId.ofUser(write.record().key().user()).lock())
                            .text(write.record().key().user())
                            .time(now)
                            .number(Objects.requireNonNull(
                                    CommitGroup.micros(write.quota().window())))
                            .number(write.quota().limit());
                }
                KeyInsert.bind(
                        to, List.of(KeyInsert.values(RowId.of(write.record().key()), commit.attempt(), write)));
                statement.execute();
                Session.Results results = new Session.Results(statement);
                for (int passed = counts ? 2 : 1; passed > 0; passed--) {
                    results.next();
                }
                return new CommitResult.Applied(OnceRow.written(commit, first(results.next()), 1));
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
                    && NOT_UNIQUE.equals(told.getSQLState())
                    && "idempotency_keys_pkey".equals(told.getConstraint());
        }
    }

    /** What to count by; null for the database's time. */
    interface Clock extends Supplier<@Nullable Instant> {}
}
