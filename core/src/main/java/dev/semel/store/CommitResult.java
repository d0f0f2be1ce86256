package dev.semel.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What became of a commit. All but {@link Applied} mean that nothing was changed. */
public sealed interface CommitResult {

    /**
     * All was written.
     *
     * @param once the once-record as it stands now, if the commit wrote one
     */
    record Applied(@Nullable OnceRecord once) implements CommitResult {}

    /** The once-record does not stand as expected. */
    record OnceChanged() implements CommitResult {}

    /**
     * A document is not as it has to be: somebody has written, removed or created it.
     *
     * @param version the one it has, or 0 if it is not there
     */
    record Stale(DocumentId id, long version) implements CommitResult {}

    /**
     * The user has begun as many keys as they may.
     *
     * @param retryAfter how long until they may begin another
     */
    record Limited(Duration retryAfter) implements CommitResult {}
}
