package dev.semel.once;

import dev.semel.store.Expected;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.OnceWrite;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Sighting;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an operator does to a key when the engine cannot know better. It is for the operator to find out first what became of the
 * operation: a key that is released runs again.
 */
public enum Intervention {

    /** Takes an operation from an owner who hangs or has vanished: a retry runs it again, and what the owner still brings is refused. */
    RELEASE,

    /** Ends the life of a record that was completed or has failed, as if its time were over. */
    EXPIRE,

    /** Records that an operation has worked after all, with what retries are to be answered. */
    COMPLETE;

    /**
     * The write that does it.
     *
     * @param seen how the key stands
     * @param response what retries are to be answered; needed only to complete
     * @return null if it cannot be done to a key that stands so
     */
    public @Nullable OnceWrite on(Sighting seen, OnceSettings settings, @Nullable Response response) {
        Standing standing = Standing.of(seen);
        if (!mayBeDoneTo(standing)) {
            return null;
        }
        OnceRecord record = Objects.requireNonNull(seen.record());
        return switch (this) {
            case RELEASE -> write(record.with(OnceStatus.FAILED, null), settings, settings.failedRetention(), record);
            case EXPIRE -> write(record, settings, Duration.ZERO, record);
            case COMPLETE ->
                write(
                        record.with(OnceStatus.COMPLETED, Objects.requireNonNull(response)),
                        settings,
                        settings.retention(),
                        record);
        };
    }

    private boolean mayBeDoneTo(Standing standing) {
        return switch (standing) {
            case NOTHING, EXPIRED -> false;
            case RUNNING -> this == RELEASE;
            case ABANDONED, TO_FREEZE, UNKNOWN -> this == RELEASE || this == COMPLETE;
            case COMPLETED -> this == EXPIRE;
            case FAILED -> this == EXPIRE || this == COMPLETE;
        };
    }

    private static OnceWrite write(OnceRecord next, OnceSettings settings, Duration life, OnceRecord before) {
        return new OnceWrite(Expected.asSeen(before), next, life, settings.tombstone(), Quota.NONE);
    }
}
