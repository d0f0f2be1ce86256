package dev.semel.store.spi;

import dev.semel.store.spi.Commit.IndexEntry;

/**
 * A store that assigns commit sequence numbers. A document with an {@linkplain IndexEntry#inCommitOrder index entry in commit order} gets
 * a number when it is created. A reader who sees a number never later sees a lower one appear.
 */
public interface OrderedStore extends DocumentStore {

    /**
     * Runs a task after each commit that assigned a sequence number or {@linkplain Commit#notifiesWatchers notifies watchers}, in any
     * process, and sometimes without a reason. A scan that the task starts sees that commit. Notifications that were missed while the store was
     * unreachable are not repeated, so a reader that must not miss anything polls from time to time as well.
     *
     * @param task run by any thread, possibly by several at once; must return at once and must not throw
     * @return removes the task
     */
    Runnable watch(Runnable task);
}
