package dev.semel.postgres;

import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.DocumentId;
import dev.semel.store.DocumentWrite;
import dev.semel.store.Expected;
import dev.semel.store.OnceWrite;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A commit on its way, and what becomes of it. */
final class PendingCommit {

    private static final int SMALL = 512;
    private static final long LOCK = 4096;

    final Commit commit;

    /** Id of the once-record, if there is one. */
    final @Nullable RowId once;

    /** Ids of the documents that it looks at or writes. */
    private final Map<DocumentId, RowId> documents = new HashMap<>();

    private @Nullable CommitResult result;
    private @Nullable StoreException failure;

    PendingCommit(Commit commit) {
        this.commit = commit;
        OnceWrite write = commit.once();
        this.once = write == null ? null : RowId.of(write.record().key());
        commit.writers().keySet().forEach(id -> documents.put(id, RowId.of(id)));
        for (DocumentWrite written : commit.writes()) {
            documents.computeIfAbsent(written.id(), RowId::of);
        }
    }

    /** All rows that it looks at or writes; further keys go with their documents. */
    List<RowId> rows() {
        List<RowId> rows = new ArrayList<>(documents.values());
        if (once != null) {
            rows.add(once);
        }
        return rows;
    }

    /** Whether it begins a new key and creates all documents that it is about, without a place. */
    boolean isCreation() {
        OnceWrite write = commit.once();
        if (write == null || !write.isNewKey() || !write.expected().equals(Expected.ABSENT) || commit.wantsPlace()) {
            return false;
        }
        for (DocumentWrite written : commit.writes()) {
            if (!(written instanceof DocumentWrite.Put)
                    || !"".equals(commit.writers().get(written.id()))) {
                return false;
            }
        }
        return commit.writers().size() == commit.writes().size();
    }

    /** Whether a new key of the user is to be counted. */
    boolean isCounted() {
        OnceWrite write = commit.once();
        return write != null && write.isNewKey() && write.quota().isLimited();
    }

    /** About how many bytes it sends. Locks count like bytes: the database has only some thousand of them, for all. */
    long bytes() {
        long bytes = SMALL + LOCK * rows().size();
        for (DocumentWrite write : commit.writes()) {
            bytes += SMALL
                    + (write instanceof DocumentWrite.Put put
                            ? put.document().data().length()
                            : 0);
        }
        Response response =
                commit.once() == null ? null : commit.once().record().response();
        return bytes + (response == null ? 0 : 2 * response.size());
    }

    void complete(CommitResult result) {
        this.result = result;
    }

    void fail(StoreException failure) {
        this.failure = failure;
    }

    /** Whether nothing was done: somebody else had one of its rows or its user, or one that it came with was refused. */
    boolean isBusy() {
        return result == null && failure == null;
    }

    /** @throws StoreException its own, even where many failed together */
    CommitResult result() {
        if (failure != null) {
            throw StoreException.unavailable(String.valueOf(failure.getMessage()), failure.getCause());
        }
        if (result == null) {
            throw StoreException.unavailable("The database gave no answer to a commit", null);
        }
        return result;
    }
}
