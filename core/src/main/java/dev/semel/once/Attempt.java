package dev.semel.once;

import dev.semel.store.IfAbandoned;
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

/** An attempt to run an operation: the record it starts from, and the writes that can follow from it. */
final class Attempt {

    private final Call call;
    private final Lookup found;
    private final KeyState state;
    private final OnceSettings settings;

    Attempt(Call call, Lookup found, KeyState state, OnceSettings settings) {
        this.call = call;
        this.found = found;
        this.state = state;
        this.settings = settings;
    }

    Call call() {
        return call;
    }

    KeyState state() {
        return state;
    }

    /** Whether this is the first run of a key that was absent or had expired. */
    boolean isNewKey() {
        return state == KeyState.ABSENT || state == KeyState.EXPIRED;
    }

    int number() {
        if (isNewKey()) {
            return 1;
        }
        int attempts = before().attempts();
        return attempts == Integer.MAX_VALUE ? attempts : attempts + 1;
    }

    private IdempotencyRecord before() {
        return Objects.requireNonNull(found.record());
    }

    /** Returns how long the user has to wait if this key would exceed the quota; otherwise zero. */
    Duration quotaWait() {
        return isNewKey() ? found.quotaWait() : Duration.ZERO;
    }

    /** Returns the write that starts and completes the operation in one commit. */
    IdempotencyWrite completed(Response response) {
        return started(Status.COMPLETED, null, kept(response));
    }

    /** Returns the write that records that the operation failed without effect. */
    IdempotencyWrite failed() {
        return started(Status.FAILED, null, null);
    }

    /** Returns the write that records that the operation may have had an effect. */
    IdempotencyWrite unknown() {
        return started(Status.UNKNOWN, null, null);
    }

    /** Returns the write that claims the operation for the duration of a lease. */
    IdempotencyWrite claimed(IfAbandoned ifAbandoned) {
        return started(Status.PROCESSING, ifAbandoned, null);
    }

    /** Returns the write by which the owner of a claim renews its lease or ends it. */
    IdempotencyWrite owned(IdempotencyRecord claim, Status status, @Nullable Response response) {
        return new IdempotencyWrite(
                Precondition.ownedBy(claim.fencingToken()),
                claim.toBuilder()
                        .status(status)
                        .response(response == null ? null : kept(response))
                        .build(),
                settings.ttl(status),
                settings.tombstoneTtl(status),
                Quota.NONE);
    }

    private IdempotencyWrite started(Status status, @Nullable IfAbandoned ifAbandoned, @Nullable Response response) {
        IdempotencyRecord record = IdempotencyRecord.builder(call.key(), call.clientTxId(), call.fingerprint())
                .status(status)
                .ifAbandoned(ifAbandoned)
                .attempts(number())
                .createdAt(isNewKey() ? found.now() : before().createdAt())
                .response(response)
                .build();
        return new IdempotencyWrite(
                Precondition.unchanged(found.record()),
                record,
                settings.ttl(status),
                settings.tombstoneTtl(status),
                settings.quota());
    }

    private Response kept(Response response) {
        return response.exceeds(settings.responseLimit()) ? response.notKept() : response;
    }
}
