package dev.semel.store.spi;

import dev.semel.store.DocumentId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The result of a commit. All but {@link Applied} mean that nothing was changed. */
public sealed interface CommitResult {

    /**
     * Everything was written.
     *
     * @param record the idempotency record as it is stored now, if the commit wrote one
     */
    record Applied(@Nullable IdempotencyRecord record) implements CommitResult {}

    /** The idempotency record does not meet its precondition. */
    record RecordConflict() implements CommitResult {}

    /**
     * A caller-managed transaction that has not ended holds the key, so it is unknown whether the precondition will hold. Only for a write that
     * starts a run.
     */
    record KeyInProgress() implements CommitResult {}

    /**
     * A document does not meet its precondition: another commit created, wrote or deleted it.
     *
     * @param version its current version, or 0 if it is absent
     */
    record DocumentConflict(DocumentId id, long version) implements CommitResult {}

    /**
     * The user has started as many new keys as the quota allows.
     *
     * @param retryAfter how long until they may start another
     */
    record QuotaExceeded(Duration retryAfter) implements CommitResult {}
}
