package dev.semel.postgres;

import dev.semel.postgres.TransactionSource.ManagedTransaction;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.spi.CallerTransaction;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyWrite;

/** An operation in a transaction of a framework, which commits it. */
final class ManagedCallerTransaction implements CallerTransaction {

    private final ManagedTransaction managed;
    private final JoinedTransaction joined;
    private boolean intact;
    private boolean ended;

    ManagedCallerTransaction(TransactionSource source, JdbcOperation operation, CallerSql sql, CallerSql.Clock clock) {
        this.managed = source.begin();
        this.joined = new JoinedTransaction(managed.connection(), operation, sql, clock);
    }

    @Override
    public boolean isCommittedHere() {
        return managed.isNew();
    }

    @Override
    public Claim claim(IdempotencyKey key, Quota quota) {
        Claim claim = joined.claim(key, quota);
        intact = true;
        return claim;
    }

    @Override
    public Response run() throws Exception {
        intact = false;
        Response response = joined.run();
        if (managed.isNew() && response != null && response.isRefusal()) {
            joined.checkActive(null);
        }
        intact = response != null;
        return response;
    }

    @Override
    public CommitResult complete(String commitId, IdempotencyWrite write) throws Exception {
        intact = false;
        CommitResult result = joined.complete(commitId, write);
        if (managed.isNew() && result instanceof CommitResult.Applied) {
            commit();
        }
        intact = true;
        return result;
    }

    /** The framework may run further statements before it commits, and may have decided to roll back. */
    private void commit() {
        ended = true;
        try {
            managed.commit();
        } catch (RuntimeException e) {
            throw StoreException.unavailable("The transaction could not be committed: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        if (ended) {
            return;
        }
        if (managed.isNew() || !intact) {
            managed.rollback();
            return;
        }
        intact = false;
        try {
            joined.close();
            intact = true;
        } finally {
            if (intact) {
                managed.commit();
            } else {
                managed.rollback();
            }
        }
    }
}
