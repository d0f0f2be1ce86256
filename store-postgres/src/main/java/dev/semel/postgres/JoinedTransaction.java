package dev.semel.postgres;

import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.spi.CallerTransaction;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyWrite;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** An operation in a transaction that the caller began and commits. Savepoints delimit its writes and its key. */
final class JoinedTransaction implements CallerTransaction {

    private final Connection connection;
    private final JdbcOperation operation;
    private final CallerSql sql;
    private final CallerSql.Clock clock;
    private String transaction = "";
    private boolean started;
    private boolean hasRun;

    JoinedTransaction(Connection connection, JdbcOperation operation, CallerSql sql, CallerSql.Clock clock) {
        this.connection = connection;
        this.operation = operation;
        this.sql = sql;
        this.clock = clock;
    }

    @Override
    public boolean isCommittedHere() {
        return false;
    }

    @Override
    public Claim claim(IdempotencyKey key, Quota quota) {
        started = true;
        try {
            CallerSql.Claimed claimed = sql.join.run(connection, key, quota, clock.get());
            transaction = claimed.transaction();
            return claimed.claim();
        } catch (SQLException e) {
            throw Session.failed(e);
        }
    }

    @Override
    public Response run() throws Exception {
        hasRun = true;
        try (GuardedConnection lent = new GuardedConnection(connection)) {
            return operation.run(lent.proxy());
        } catch (Throwable e) {
            checkActive(e);
            throw e;
        }
    }

    void checkActive(@Nullable Throwable cause) {
        if (CallerSql.hasEnded(connection, transaction)) {
            started = false;
            throw new CallerTransaction.EndedException(cause);
        }
    }

    @Override
    public CommitResult complete(String commitId, IdempotencyWrite write) throws SQLException {
        Response response = write.record().response();
        boolean isRefusal = response != null && response.isRefusal();
        CallerSql.Recording recording = isRefusal ? sql.joinedRefusal : sql.joined;
        try {
            CommitResult result = recording.run(connection, transaction, commitId, write, clock.get());
            started = !(result instanceof CommitResult.Applied);
            return result;
        } catch (CallerTransaction.EndedException e) {
            started = false;
            throw e;
        } catch (SQLException e) {
            StoreException failure = Session.failed(e);
            if (Session.isRejection(failure)) {
                throw e;
            }
            throw failure;
        }
    }

    @Override
    public void close() {
        if (!started) {
            return;
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(CallerSql.LEAVE_JOINED);
        } catch (SQLException e) {
            StoreException failure = Session.failed(e);
            boolean isReported = hasRun && CallerSql.NO_SAVEPOINT.equals(e.getSQLState()); // by the operation's failure
            if (Session.isRejection(failure) && !isReported) {
                throw failure; // the server does not commit the transaction any more
            }
        }
    }
}
