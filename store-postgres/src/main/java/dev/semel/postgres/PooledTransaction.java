package dev.semel.postgres;

import dev.semel.once.OwnTransaction;
import dev.semel.once.TransactionEndedException;
import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.OnceKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Sighting;
import dev.semel.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A transaction on a connection that is taken for it and given back as it was. It is committed in the round trip that records the key. */
final class PooledTransaction implements OwnTransaction {

    private final OwnOperation operation;
    private final boolean claims;
    private final KeySql.Clock clock;
    private final Connection connection;
    private final boolean commitsItself;
    private String transaction = "";
    private boolean ended = true;

    /** @param claims whether the key is claimed before the operation runs */
    PooledTransaction(DataSource source, OwnOperation operation, boolean claims, KeySql.Clock clock) {
        this.operation = operation;
        this.claims = claims;
        this.clock = clock;
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
    public Claim claim(OnceKey key, Quota quota) {
        if (!claims) {
            return new Claim(new Sighting(null, Instant.EPOCH, Duration.ZERO), true, false);
        }
        ended = false;
        try {
            KeySql.Claimed claimed = KeySql.CLAIM.run(connection, key, quota, clock.get());
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
        try (LentConnection lent = new LentConnection(connection)) {
            response = operation.run(lent.proxy());
        } catch (Throwable e) {
            refuseIfEnded(e);
            throw e;
        }
        if (response != null && response.isRefusal()) {
            refuseIfEnded(null); // since nothing more is done in the transaction that would tell
        }
        return response;
    }

    private void refuseIfEnded(@Nullable Throwable cause) {
        if (claims && KeySql.hasEnded(connection, transaction)) {
            throw new TransactionEndedException(cause);
        }
    }

    @Override
    public CommitResult complete(Commit commit) throws SQLException {
        KeySql.Recording recording = claims ? KeySql.CLAIMED : KeySql.UNCLAIMED;
        try {
            CommitResult result = recording.run(connection, transaction, commit, clock.get());
            ended = result instanceof CommitResult.Applied;
            return result;
        } catch (SQLException e) {
            StoreException failure = Session.failed(e);
            if (Session.isRefusal(failure)) {
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

    /** Nobody shall get a connection whose transaction could not be ended. */
    private void breakOff() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            // it is of no use any more
        }
    }

    private void giveBack() {
        try {
            connection.close();
        } catch (SQLException e) {
            // it is given back
        }
    }
}
