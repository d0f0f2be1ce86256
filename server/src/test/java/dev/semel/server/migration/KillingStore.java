package dev.semel.server.migration;

import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.OnceStore;
import dev.semel.testkit.ForwardingStore;

/** A store whose process is killed at a commit: what follows in the process does not happen. */
final class KillingStore extends ForwardingStore {

    private final boolean afterCommit;
    private int commitsLeft;

    /** Ends a run as a kill does. It is no exception that the code under test catches. */
    static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    /**
     * Wraps a store.
     *
     * @param commits the commit at which the process is killed, from 1 on
     * @param afterCommit whether that commit is still written
     */
    KillingStore(OnceStore store, int commits, boolean afterCommit) {
        super(store);
        this.commitsLeft = commits;
        this.afterCommit = afterCommit;
    }

    @Override
    public CommitResult commit(Commit commit) {
        commitsLeft--;
        if (commitsLeft < 0 || (commitsLeft == 0 && !afterCommit)) {
            throw new Killed();
        }
        CommitResult result = super.commit(commit);
        if (commitsLeft == 0) {
            throw new Killed();
        }
        return result;
    }
}
