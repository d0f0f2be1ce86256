package dev.semel.testkit;

import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.Expected;
import dev.semel.store.OnceWrite;
import dev.semel.store.Quota;
import dev.semel.store.Sighting;
import dev.semel.store.Store;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Stores as people write them who have not read the contract: to see that the suite tells them. */
abstract class BrokenStore extends ForwardingStore {

    private BrokenStore(Store store) {
        super(store);
    }

    /** Records whatever an owner brings, however late it comes. */
    static Store withoutFence(Store store) {
        return new BrokenStore(store) {
            @Override
            public CommitResult commit(Commit commit) {
                OnceWrite once = commit.once();
                boolean byOwner = once != null && once.record().fence() != 0;
                return byOwner ? force(commit, commit.writers()) : store.commit(commit);
            }
        };
    }

    /** First looks whether all is as expected, and then writes. */
    static Store thatReadsAndThenWrites(Store store) {
        return new BrokenStore(store) {
            @Override
            public CommitResult commit(Commit commit) {
                OnceWrite once = commit.once();
                if (once != null && !once.expected().isMetBy(seen(once).record())) {
                    return new CommitResult.OnceChanged();
                }
                for (Map.Entry<DocumentId, String> expected : commit.writers().entrySet()) {
                    Optional<Document> found = read(expected.getKey());
                    if (!found.map(Document::writtenBy).orElse("").equals(expected.getValue())) {
                        long version = found.map(Document::version).orElse(0L);
                        return new CommitResult.Stale(expected.getKey(), version);
                    }
                }
                LockSupport.parkNanos(1_000); // as far apart as the two would be over a network, at the very least
                return force(commit, Map.of());
            }
        };
    }

    /** Writes once-records and documents one after the other. */
    static Store thatSplitsCommits(Store store) {
        return new BrokenStore(store) {
            @Override
            public CommitResult commit(Commit commit) {
                if (commit.once() == null || commit.writes().isEmpty()) {
                    return store.commit(commit);
                }
                CommitResult first = store.commit(Commit.of(commit.attempt(), commit.once()));
                if (first instanceof CommitResult.Applied) {
                    store.commit(new Commit(commit.attempt() + "-2", null, commit.writers(), commit.writes()));
                }
                return first;
            }
        };
    }

    /** Takes a commit that is asked for again for a new one. */
    static Store withoutMemoryOfAttempts(Store store) {
        return new BrokenStore(store) {
            private int count;

            @Override
            public synchronized CommitResult commit(Commit commit) {
                return store.commit(
                        new Commit(commit.attempt() + "-" + count++, commit.once(), commit.writers(), commit.writes()));
            }
        };
    }

    final Sighting seen(OnceWrite once) {
        return store.find(once.record().key(), Quota.NONE);
    }

    /** Writes, however the once-record stands. */
    final CommitResult force(Commit commit, Map<DocumentId, String> writers) {
        while (true) {
            OnceWrite once = commit.once();
            OnceWrite anyhow = once == null
                    ? null
                    : new OnceWrite(
                            Expected.asSeen(seen(once).record()),
                            once.record(),
                            once.life(),
                            once.afterlife(),
                            once.quota());
            CommitResult result = store.commit(new Commit(commit.attempt(), anyhow, writers, commit.writes()));
            if (!(result instanceof CommitResult.OnceChanged)) {
                return result;
            }
        }
    }
}
