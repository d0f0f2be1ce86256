package dev.semel.postgres;

import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.internal.StackReserve;
import dev.semel.store.spi.CallerTransaction;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.OnceStore.Lookup;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A transaction on a pooled connection. The round trip that records the key also commits it. */
final class PooledTransaction implements CallerTransaction {

    private final JdbcOperation operation;
    private final boolean claims;
    private final CallerSql sql;
    private final CallerSql.Clock clock;
    private final Connection connection;
    private final boolean commitsItself;
    private final Consumer<IdempotencyKey> unused;
    private String transaction = "";
    private boolean isUsed;
    private boolean ended = true;

    /**
     * Begins a transaction.
     *
     * @param claims whether the key is locked and looked up before the operation runs
     * @param unused called if the operation did not use its connection
     */
    PooledTransaction(
            DataSource source,
            JdbcOperation operation,
            boolean claims,
            CallerSql sql,
            CallerSql.Clock clock,
            Consumer<IdempotencyKey> unused) {
        this.operation = operation;
        this.unused = unused;
        this.claims = claims;
        this.sql = sql;
        this.clock = clock;
        StackReserve.check(StackReserve.MEDIUM);
        try {
            this.connection = source.getConnection();
        } catch (SQLException e) {
            throw Session.failed(e);
        }
        try {
            this.commitsItself = connection.getAutoCommit();
            if (commitsItself) {
                connection.setAutoCommit(false);
            }
        } catch (SQLException e) {
            giveBack();
            throw Session.failed(e);
        }
    }

    @Override
    public boolean isCommittedHere() {
        return true;
    }

    @Override
    public Claim claim(IdempotencyKey key, Quota quota) {
        if (!claims) {
            return new Claim(new Lookup(null, Instant.EPOCH, Duration.ZERO), true, false);
        }
        ended = false;
        try {
            CallerSql.Claimed claimed = sql.claim.run(connection, key, quota, clock.get());
            transaction = claimed.transaction();
            return claimed.claim();
        } catch (SQLException e) {
            throw Session.failed(e);
        }
    }

    @Override
    public Response run() throws Exception {
        ended = false;
        Response response;
        try (GuardedConnection lent = new GuardedConnection(connection)) {
            response = operation.run(lent.proxy());
            isUsed = lent.isUsed();
        } catch (Throwable e) {
            checkActive(e);
            throw e;
        }
        if (response != null && response.isRefusal()) {
            checkActive(null); // a refusal is recorded elsewhere, so no later statement here would detect it
        }
        return response;
    }

    private void checkActive(@Nullable Throwable cause) {
        if (claims && CallerSql.hasEnded(connection, transaction)) {
            throw new CallerTransaction.EndedException(cause);
        }
    }

    @Override
    public CommitResult complete(String commitId, IdempotencyWrite write) throws SQLException {
        if (!isUsed) {
            unused.accept(write.record().key());
        }
        CallerSql.Recording recording = claims ? sql.claimed : sql.unclaimed;
        try {
            CommitResult result = recording.run(connection, transaction, commitId, write, clock.get());
            ended = result instanceof CommitResult.Applied;
            return result;
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
        try {
            if (!ended) {
                connection.rollback();
            }
            if (commitsItself) {
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            breakOff();
        } finally {
            giveBack();
        }
    }

    /** Keeps a connection whose transaction could not be ended out of the pool. */
    private void breakOff() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            // the pool discards it
        }
    }

    private void giveBack() {
        try {
            connection.close();
        } catch (SQLException e) {
            // the pool discards it
        }
    }
}
