package dev.semel.postgres;

import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.spi.CallerTransaction;
import dev.semel.store.spi.CallerTransaction.Claim;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.OnceStore.Lookup;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.jdbc.AutoSave;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * The statements on a key in a caller-managed transaction. Each is one round trip. Settings are set for the transaction only.
 *
 * <p>A transaction that writes a key holds its advisory lock ({@link RowId}). One statement tries the lock, and a later one looks up the
 * key, so its snapshot includes what the previous holder of the lock has committed. The key cannot change after that until it is recorded.
 *
 * <p>A round trip that ends with a COMMIT must fail as a whole if a condition does not hold. Conditions are therefore arguments of
 * functions that raise an error for a certain number; each has an SQLSTATE that applications hardly use.
 */
final class CallerSql {

    /**
     * Identifies a transaction by its start. A setting would be lost if an operation executes RESET ALL, and a number of the transaction
     * would have to be assigned first.
     */
    private static final String TRANSACTION = "extract(epoch from transaction_timestamp())::text";

    /** Sets role and user. If row security was off, the server would reject the statements of the role. */
    private static final String ACT = "set_config('role', 'semel_app', true), set_config('semel.user', ?, true), "
            + "set_config('row_security', 'on', true)";

    /** Sets role and user, and selects the transaction. */
    private static final String ENTER = """
            set_config('semel.previous_role', current_setting('role'), true),
            set_config('semel.previous_user', coalesce(current_setting('semel.user', true), ''), true),
            set_config('semel.previous_row_security', current_setting('row_security'), true),
            """ + TRANSACTION + ", " + ACT + ", ";

    private static final String LEAVE = """
            ; select set_config('role', current_setting('semel.previous_role'), true),
            set_config('semel.user', current_setting('semel.previous_user'), true),
            set_config('row_security', current_setting('semel.previous_row_security'), true)""";

    /** Fails with {@link #NOT_THE_SAME} in a transaction that was begun after the claim. */
    private static final String SAME_TRANSACTION = "ln((" + TRANSACTION + " = ?)::int::float8), ";

    private static final String NOT_THE_SAME = "2201E";

    static final String NOT_SO = "2201G";

    private static final String NOT_UNIQUE = "23505";

    static final String NO_SAVEPOINT = "3B001";

    private static final String COUNT_ALONE = ", pg_advisory_xact_lock(?)";

    /** A separate statement, whose snapshot includes what the previous holder of the user's lock has committed. */
    private static final String COUNT = "; select " + require(QuotaSql.allMayStart(1));

    private static final String RETURNING = " returning k.fencing_token, k.created_at, k.deadline";

    private static final String REPLACE =
            RecordInsert.onConflictReplace("greatest(k.fencing_token + 1, excluded.fencing_token)") + RETURNING;

    /** Savepoints of a joined transaction. Operations do not use these names by accident. */
    private static final String KEY = "semel_key_5d0b9a3e";

    private static final String EFFECTS = "semel_effects_5d0b9a3e";

    static final String LEAVE_JOINED = "rollback to savepoint " + KEY + "; release savepoint " + KEY;

    /** Fails; the error in the server's log contains the text. */
    private static final String ABORT =
            "select cast('An operation failed in this transaction, so it can only be rolled back' as int)";

    /** Claims a key in a new transaction. */
    final Claiming claim;

    /** Claims a key in a joined transaction, between two savepoints. */
    final Claiming join;

    /** Records a claimed key, and commits. */
    final Recording claimed;

    /** Records a key that was not claimed, if it is new, and commits. */
    final Recording unclaimed;

    /** Records a claimed key, and restores role and user. */
    final Recording joined;

    /** Rolls back the operation's writes, records a claimed key, and restores role and user. */
    final Recording joinedRefusal;

    CallerSql(SqlTexts texts, AdvisoryLocks locks) {
        this.claim = new Claiming(texts, locks, "", "");
        this.join = new Claiming(texts, locks, "savepoint " + KEY + "; ", "; savepoint " + EFFECTS);
        String same = "select " + SAME_TRANSACTION;
        this.claimed = new Recording(texts, locks, same + ACT, true, 1, REPLACE + "; commit");
        this.unclaimed = new Recording(
                texts,
                locks,
                "select " + require("pg_try_advisory_xact_lock(?)") + ", " + ACT,
                false,
                1,
                RETURNING + "; commit");
        String end = REPLACE + LEAVE + "; release savepoint " + KEY;
        this.joined = new Recording(texts, locks, same + ENTER + "true", true, 1, end);
        String undo = same + "true; rollback to savepoint " + EFFECTS + "; select ";
        this.joinedRefusal = new Recording(texts, locks, undo + ENTER + "true", true, 2, end);
    }

    /** Fails with {@link #NOT_SO} unless a condition holds. */
    static String require(String condition) {
        return "width_bucket(0::float8, 0, 1, (" + condition + ")::int)";
    }

    /** Whether the error only means that a condition does not hold, and not that the database failed. */
    static boolean isExpected(SQLException e) {
        return NOT_SO.equals(e.getSQLState()) || NOT_UNIQUE.equals(e.getSQLState());
    }

    /** A claim and the name of its transaction. */
    record Claimed(Claim claim, String transaction) {}

    /** Tries the lock of a key, looks it up, and restores role and user. */
    static final class Claiming {

        private final SqlTexts texts;
        private final AdvisoryLocks locks;
        private final String before;
        private final String after;

        private Claiming(SqlTexts texts, AdvisoryLocks locks, String before, String after) {
            this.texts = texts;
            this.locks = locks;
            this.before = before + "select " + ENTER + "pg_try_advisory_xact_lock(?) and pg_try_advisory_xact_lock(?)"
                    + Session.TIME + "; " + KeyLookups.ONE;
            this.after = LEAVE + after;
        }

        /** What the text depends on; the key of the cached text. */
        private record Shape(String before, int counted) {}

        Claimed run(Connection connection, IdempotencyKey key, Quota quota, @Nullable Instant now) throws SQLException {
            RowId id = RowId.of(key);
            KeyLookups.QuotaWaits waits = new KeyLookups.QuotaWaits();
            waits.add(0, id, key.user(), quota);
            String sql = texts.get(new Shape(before, waits.shape()), () -> before + waits.sql() + after);
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                Parameters to = new Parameters(statement)
                        .text(key.user())
                        .number(locks.of(id))
                        .number(locks.ofClaim(id))
                        .time(now)
                        .text(id.uuid().toString());
                waits.bind(to, now);
                statement.execute();
                Session.Results results = new Session.Results(statement);
                ResultSet entered = first(results.next());
                String transaction = entered.getString(4);
                boolean free = entered.getBoolean(8);
                Instant time = IdempotencyRow.instant(entered, 9);
                ResultSet found = results.next();
                IdempotencyRecord record = found.next() ? KeyLookups.record(key, found) : null;
                Duration wait = waits.read(results).getOrDefault(0L, Duration.ZERO);
                return new Claimed(new Claim(new Lookup(record, time, wait), free, true), transaction);
            }
        }
    }

    /** Whether the transaction of a claim has ended. A transaction that an error has aborted has not. */
    static boolean hasEnded(Connection connection, String transaction) {
        try (PreparedStatement statement = connection.prepareStatement("select " + TRANSACTION)) {
            return !first(statement.executeQuery()).getString(1).equals(transaction);
        } catch (SQLException e) {
            return false;
        }
    }

    /**
     * Puts the transaction into the state in which the server only rolls it back, at the end or to an earlier savepoint. Without this, a
     * caller that overlooks a failure would commit.
     */
    static void abort(Connection connection) {
        try {
            PGConnection postgres = connection.unwrap(PGConnection.class);
            AutoSave autosave = postgres.getAutosave();
            postgres.setAutosave(AutoSave.NEVER); // or else the driver would roll back to before the next statement
            try (Statement statement = connection.createStatement()) {
                statement.execute(ABORT);
            } finally {
                postgres.setAutosave(autosave);
            }
        } catch (SQLException e) {
            // it always fails
        }
    }

    private static ResultSet first(ResultSet rows) throws SQLException {
        rows.next();
        return rows;
    }

    /** The statement that records the key of a caller-managed transaction. */
    static final class Recording {

        private final SqlTexts texts;
        private final AdvisoryLocks locks;
        private final boolean claimed;
        private final int queries;
        private final String before;
        private final String after;
        private final String plain;
        private final String counted;

        /** @param queries the number of queries before the key is recorded */
        private Recording(
                SqlTexts texts, AdvisoryLocks locks, String before, boolean claimed, int queries, String after) {
            this.texts = texts;
            this.locks = locks;
            this.claimed = claimed;
            this.queries = queries;
            this.before = before;
            this.after = after;
            this.plain = sql(false, null);
            this.counted = sql(true, null);
        }

        private String sql(boolean counts, @Nullable Instant now) {
            return texts.qualified(
                    before + (counts ? COUNT_ALONE + COUNT : "") + "; " + RecordInsert.values(1, now) + after);
        }

        /**
         * Records a key.
         *
         * @param transaction the name of the transaction at the claim; empty if the key was not claimed
         * @throws CallerTransaction.EndedException if that transaction has ended
         * @throws IllegalStateException if the savepoint of the key is gone
         * @throws SQLException if the server rejects the statement, or if the connection was lost
         */
        CommitResult run(
                Connection connection,
                String transaction,
                String commitId,
                IdempotencyWrite write,
                @Nullable Instant now)
                throws SQLException {
            IdempotencyKey key = write.record().key();
            boolean counts = write.isNewKey() && write.quota().isLimited();
            String sql = now != null ? sql(counts, now) : counts ? counted : plain;
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                Parameters to = new Parameters(statement);
                bindBefore(to, transaction, key);
                if (counts) {
                    to.number(locks.of(RowId.ofUser(key.user()))).time(now);
                    QuotaSql.USERS.bind(
                            to,
                            List.of(RowSource.row(
                                    0L,
                                    key.user(),
                                    CommitGroup.micros(write.quota().window()),
                                    write.quota().limit() - 1L)));
                }
                RecordInsert.bind(to, List.of(RecordInsert.row(RowId.of(key), commitId, write)));
                statement.execute();
                Session.Results results = new Session.Results(statement);
                for (int passed = counts ? queries + 1 : queries; passed > 0; passed--) {
                    results.next();
                }
                return new CommitResult.Applied(IdempotencyRow.written(commitId, write, first(results.next()), 1));
            } catch (SQLException e) {
                return rejected(e);
            }
        }

        private void bindBefore(Parameters to, String transaction, IdempotencyKey key) throws SQLException {
            if (claimed) {
                to.text(transaction).text(key.user());
            } else {
                to.number(locks.of(RowId.of(key))).text(key.user());
            }
        }

        private static CommitResult rejected(SQLException e) throws SQLException {
            String state = String.valueOf(e.getSQLState());
            if (state.equals(NOT_SO) || isKnownKey(e)) {
                return new CommitResult.RecordConflict();
            }
            if (state.equals(NOT_THE_SAME)) {
                throw new CallerTransaction.EndedException(e);
            }
            if (state.equals(NO_SAVEPOINT)) {
                throw new IllegalStateException(
                        "The operation has rolled back to a savepoint from before its run, or released one: it may use its"
                                + " own savepoints only",
                        e);
            }
            throw e;
        }

        private static boolean isKnownKey(SQLException e) {
            ServerErrorMessage error = e instanceof PSQLException failure ? failure.getServerErrorMessage() : null;
            return error != null
                    && NOT_UNIQUE.equals(error.getSQLState())
                    && "idempotency_records_pkey".equals(error.getConstraint());
        }
    }

    /** Supplies the time of a test; null for the database's time. */
    interface Clock extends Supplier<@Nullable Instant> {}
}
