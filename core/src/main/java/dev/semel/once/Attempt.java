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
        return started(builder(Status.COMPLETED).response(kept(response)).build());
    }

    /** Returns the write that records that the operation failed without effect. */
    IdempotencyWrite failed(Throwable cause) {
        return started(FailureCause.set(builder(Status.FAILED), cause).build());
    }

    /** Returns the write that records that the operation may have had an effect. */
    IdempotencyWrite unknown() {
        return started(builder(Status.UNKNOWN).build());
    }

    /** Returns the write that claims the operation for the duration of a lease. */
    IdempotencyWrite claimed(IfAbandoned ifAbandoned) {
        return started(builder(Status.PROCESSING).ifAbandoned(ifAbandoned).build());
    }

    /** Returns the write by which the owner of a claim renews its lease or ends it. */
    IdempotencyWrite owned(IdempotencyRecord claim, Status status, @Nullable Response response) {
        return owned(claim.toBuilder()
                .status(status)
                .response(response == null ? null : kept(response))
                .build());
    }

    /** Returns the write by which the owner of a claim records that the operation failed. */
    IdempotencyWrite ownedFailed(IdempotencyRecord claim, Throwable cause) {
        return owned(
                FailureCause.set(claim.toBuilder().status(Status.FAILED), cause).build());
    }

    private IdempotencyWrite owned(IdempotencyRecord record) {
        return new IdempotencyWrite(
                Precondition.ownedBy(record.fencingToken()),
                record,
                settings.ttl(record.status()),
                settings.tombstoneTtl(record.status()),
                Quota.NONE);
    }

    private IdempotencyRecord.Builder builder(Status status) {
        return IdempotencyRecord.builder(call.key(), call.clientTxId(), call.fingerprint())
                .status(status)
                .attempts(number())
                .createdAt(isNewKey() ? found.now() : before().createdAt());
    }

    private IdempotencyWrite started(IdempotencyRecord record) {
        return new IdempotencyWrite(
                Precondition.unchanged(found.record()),
                record,
                settings.ttl(record.status()),
                settings.tombstoneTtl(record.status()),
                settings.quota());
    }

    private Response kept(Response response) {
        return response.exceeds(settings.responseLimit()) ? response.notKept() : response;
    }
}
