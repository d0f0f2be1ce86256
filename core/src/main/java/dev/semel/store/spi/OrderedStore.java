package dev.semel.store.spi;

import dev.semel.store.spi.Commit.IndexEntry;

/**
 * A store that numbers commits. A document with an {@linkplain IndexEntry#inCommitOrder index entry in commit order} gets a commit
 * sequence number when it is created: a reader who sees one number never later sees a lower one appear.
 */
public interface OrderedStore extends DocumentStore {

    /**
     * Notifies a task that there may be new documents in commit order: after each commit that assigned a sequence number, in any
     * process, and sometimes without a reason. A scan started by the task sees that commit. Notifications that were missed while the
     * store was unreachable are not repeated, so a reader that must not miss anything also polls from time to time.
     *
     * @param task called by any thread, possibly by several at once; must return at once and must not throw
     * @return ends the notifications
     */
    Runnable watch(Runnable task);
}
