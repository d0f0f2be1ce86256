package dev.semel.postgres;

import dev.semel.store.DocumentId;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A commit and its result. */
final class PendingCommit {

    private static final int SMALL = 512;
    private static final long LOCK = 4096;

    /** By default the lock table has 6,400 entries. */
    static final int MOST_LOCKED = 256;

    final Commit commit;

    /** Id of the idempotency record; null if there is none. */
    final @Nullable RowId record;

    /** Ids of the documents that are written. */
    private final Map<DocumentId, RowId> written = new HashMap<>();

    /** Ids of the documents that have a precondition and are not written. */
    private final Map<DocumentId, RowId> checked = new HashMap<>();

    private @Nullable CommitResult result;
    private @Nullable StoreException failure;

    PendingCommit(Commit commit) {
        this.commit = commit;
        IdempotencyWrite write = commit.idempotencyWrite();
        this.record = write == null ? null : RowId.of(write.record().key());
        for (DocumentWrite each : commit.writes()) {
            written.computeIfAbsent(each.id(), RowId::of);
        }
        commit.checkedOnly().forEach(id -> checked.put(id, RowId.of(id)));
    }

    /** Returns the rows to lock in this process. Index entries are protected by the lock of their document. */
    List<RowId> rows() {
        List<RowId> rows = new ArrayList<>(written.values());
        if (record != null) {
            rows.add(record);
        }
        return rows;
    }

    /** Returns the rows to lock in this process in shared mode. */
    List<RowId> checkedRows() {
        return List.copyOf(checked.values());
    }

    /** Whether the commit has so many documents that it locks all documents instead. The lock table of the server is small. */
    private boolean isLarge() {
        return written.size() + checked.size() > MOST_LOCKED;
    }

    /** Returns the locks of the rows. Each commit with documents takes part in the lock of all documents, which comes first. */
    List<Long> locks(AdvisoryLocks numbers) {
        List<Long> locks = new ArrayList<>();
        if (isLarge()) {
            locks.add(numbers.ofAllDocuments());
        } else if (!written.isEmpty() || !checked.isEmpty()) {
            locks.add(numbers.ofDocuments());
            written.values().forEach(id -> locks.add(numbers.of(id)));
            checked.values().forEach(id -> locks.add(numbers.shared(id)));
        }
        if (record != null) {
            locks.add(numbers.of(record));
        }
        return locks;
    }

    /**
     * Whether the commit starts a new key and only creates documents, without a commit sequence number and a notification. It may also check
     * that other documents are unchanged.
     */
    boolean isCreation() {
        IdempotencyWrite write = commit.idempotencyWrite();
        if (write == null
                || !write.isNewKey()
                || !write.precondition().equals(Precondition.ABSENT)
                || commit.needsSequence()
                || commit.notifiesWatchers()
                || isLarge()) {
            return false;
        }
        for (DocumentWrite each : commit.writes()) {
            if (!(each instanceof DocumentWrite.Put)
                    || !"".equals(commit.preconditions().get(each.id()))) {
                return false;
            }
        }
        return checked.keySet().stream()
                .noneMatch(id -> "".equals(commit.preconditions().get(id)));
    }

    /** Whether the commit starts a new key of a user with a quota. */
    boolean isCounted() {
        IdempotencyWrite write = commit.idempotencyWrite();
        return write != null && write.isNewKey() && write.quota().isLimited();
    }

    /** Whether the commit starts a run of its key, so that it need not wait for a caller-managed transaction with the key. */
    boolean isStart() {
        IdempotencyWrite write = commit.idempotencyWrite();
        return write != null
                && write.record().fencingToken() == 0
                && write.record().status() != IdempotencyRecord.Status.UNKNOWN;
    }

    /** Returns the id under which the keys of the user of a {@linkplain #isCounted counted} commit are counted. */
    RowId user() {
        return RowId.ofUser(
                Objects.requireNonNull(commit.idempotencyWrite()).record().key().user());
    }

    /** Returns about how many bytes the commit sends. A lock counts like bytes, because the server has only some thousand for all. */
    long bytes() {
        long bytes = SMALL + LOCK * (rows().size() + checked.size());
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

    /** Whether the commit was not tried: another transaction holds one of its locks, or its group was rejected. */
    boolean isBusy() {
        return result == null && failure == null;
    }

    /** @throws StoreException if the commit failed; a new exception for each commit of a group */
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
