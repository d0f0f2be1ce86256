package dev.semel.postgres;

import dev.semel.store.DocumentId;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
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

    /** Id of the idempotency record, if there is one. */
    final @Nullable RowId record;

    /** Ids of the documents that it looks at or writes. */
    private final Map<DocumentId, RowId> documents = new HashMap<>();

    private @Nullable CommitResult result;
    private @Nullable StoreException failure;

    PendingCommit(Commit commit) {
        this.commit = commit;
        IdempotencyWrite write = commit.idempotencyWrite();
        this.record = write == null ? null : RowId.of(write.record().key());
        commit.preconditions().keySet().forEach(id -> documents.put(id, RowId.of(id)));
        for (DocumentWrite written : commit.writes()) {
            documents.computeIfAbsent(written.id(), RowId::of);
        }
    }

    /** All rows that it looks at or writes; index entries go with their documents. */
    List<RowId> rows() {
        List<RowId> rows = new ArrayList<>(documents.values());
        if (record != null) {
            rows.add(record);
        }
        return rows;
    }

    /** Whether it starts a new key and creates all documents that it is about, without a commit sequence number. */
    boolean isCreation() {
        IdempotencyWrite write = commit.idempotencyWrite();
        if (write == null
                || !write.isNewKey()
                || !write.precondition().equals(Precondition.ABSENT)
                || commit.needsSequence()) {
            return false;
        }
        for (DocumentWrite written : commit.writes()) {
            if (!(written instanceof DocumentWrite.Put)
                    || !"".equals(commit.preconditions().get(written.id()))) {
                return false;
            }
        }
        return commit.preconditions().size() == commit.writes().size();
    }

    /** Whether a new key of the user is to be counted. */
    boolean isCounted() {
        IdempotencyWrite write = commit.idempotencyWrite();
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
        Response response = commit.idempotencyWrite() == null
                ? null
                : commit.idempotencyWrite().record().response();
        return bytes + (response == null ? 0 : 2 * response.size());
    }

    void complete(CommitResult result) {
        this.result = result;
    }

    void fail(StoreException failure) {
        this.failure = failure;
    }

    /** Whether nothing was done: another transaction had one of its rows or its user, or a commit of its group was rejected. */
    boolean isBusy() {
        return result == null && failure == null;
    }

    /** @throws StoreException its own, even where many failed together */
    CommitResult result() {
        if (failure != null) {
            throw StoreException.unavailable(String.valueOf(failure.getMessage()), failure.getCause());
        }
        if (result == null) {
            throw StoreException.unavailable("The database returned no result of a commit", null);
        }
        return result;
    }
}
