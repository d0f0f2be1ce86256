package dev.semel.once;

import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import dev.semel.store.spi.OnceStore.Lookup;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An operator's decision about a key that the engine cannot resolve itself. The operator has to find out first what became of the
 * operation: a released key runs again.
 */
public enum OperatorAction {

    /** Takes an operation from an owner that hangs or has crashed. A retry runs it again, and the owner's completion is rejected. */
    RELEASE,

    /** Expires the record of a completed or failed operation. */
    EXPIRE,

    /** Records that an operation has completed after all, with the response that retries get. */
    COMPLETE;

    private static final String RELEASED = "Released by an operator";

    /**
     * Returns the write that performs the action.
     *
     * @param found the lookup of the key
     * @param response the response that retries get; required by {@link #COMPLETE} alone
     * @return the write, or null if the action is not possible in the state of the key
     */
    public @Nullable IdempotencyWrite on(Lookup found, OnceSettings settings, @Nullable Response response) {
        if (!isPossible(KeyState.of(found))) {
            return null;
        }
        IdempotencyRecord record = Objects.requireNonNull(found.record());
        return switch (this) {
            case RELEASE -> {
                IdempotencyRecord released = record.toBuilder()
                        .status(Status.FAILED)
                        .response(null)
                        .cause(RELEASED)
                        .build();
                yield write(record, released, settings, settings.failedRetention());
            }
            case EXPIRE -> write(record, record, settings, Duration.ZERO);
            case COMPLETE -> {
                IdempotencyRecord completed = record.toBuilder()
                        .status(Status.COMPLETED)
                        .response(Objects.requireNonNull(response))
                        .build();
                yield write(record, completed, settings, settings.retention());
            }
        };
    }

    private boolean isPossible(KeyState state) {
        return switch (state) {
            case ABSENT, EXPIRED -> false;
            case RUNNING -> this == RELEASE;
            case ABANDONED, TO_FREEZE, UNKNOWN -> this == RELEASE || this == COMPLETE;
            case COMPLETED -> this == EXPIRE;
            case FAILED -> this == EXPIRE || this == COMPLETE;
        };
    }

    private static IdempotencyWrite write(
            IdempotencyRecord before, IdempotencyRecord after, OnceSettings settings, Duration ttl) {
        return new IdempotencyWrite(Precondition.unchanged(before), after, ttl, settings.tombstone(), Quota.NONE);
    }
}
