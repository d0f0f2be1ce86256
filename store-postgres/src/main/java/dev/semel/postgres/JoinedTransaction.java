package dev.semel.postgres;

import dev.semel.once.OwnTransaction;
import dev.semel.once.TransactionEndedException;
import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.OnceKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** A part of a transaction that somebody else has begun and commits. What fails is rolled back to where this part began. */
final class JoinedTransaction implements OwnTransaction {

    private final Connection connection;
    private final OwnOperation operation;
    private final KeySql.Clock clock;
    private String transaction = "";
    private boolean begun;

    JoinedTransaction(Connection connection, OwnOperation operation, KeySql.Clock clock) {
        this.connection = connection;
        this.operation = operation;
        this.clock = clock;
    }

    @Override
    public boolean isCommittedHere() {
        return false;
    }

    @Override
    public Claim claim(OnceKey key, Quota quota) {
        begun = true;
        try {
            KeySql.Claimed claimed = KeySql.JOIN.run(connection, key, quota, clock.get());
            transaction = claimed.transaction();
            return claimed.claim();
        } catch (SQLException e) {
            throw Session.failed(e);
        }
    }

    @Override
    public Response run() throws Exception {
        try (LentConnection lent = new LentConnection(connection)) {
            return operation.run(lent.proxy());
        } catch (Throwable e) {
            if (KeySql.hasEnded(connection, transaction)) {
                begun = false;
                throw new TransactionEndedException(e);
            }
            throw e;
        }
    }

    @Override
    public CommitResult complete(Commit commit) throws SQLException {
        boolean refusal = commit.once() != null
                && commit.once().record().response() != null
                && commit.once().record().response().isRefusal();
        KeySql.Recording recording = refusal ? KeySql.JOINED_REFUSAL : KeySql.JOINED;
        try {
            CommitResult result = recording.run(connection, transaction, commit, clock.get());
            begun = !(result instanceof CommitResult.Applied);
            return result;
        } catch (TransactionEndedException e) {
            begun = false;
            throw e;
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
        if (!begun) {
            return;
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(KeySql.UNJOIN);
        } catch (SQLException e) {
            StoreException failure = Session.failed(e);
            if (Session.isRefusal(failure)) {
                throw failure; // and the transaction cannot be committed any more
            }
        }
    }
}
