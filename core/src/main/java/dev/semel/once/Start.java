package dev.semel.once;

import dev.semel.store.Commit;
import dev.semel.store.Expected;
import dev.semel.store.IfAbandoned;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.OnceWrite;
import dev.semel.store.Response;
import dev.semel.store.Sighting;
import dev.semel.store.Transactions;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A run that is about to begin: what it begins from, and all that may be written of it. */
final class Start {

    private final Call call;
    private final Sighting seen;
    private final Standing standing;
    private final OnceSettings settings;

    Start(Call call, Sighting seen, Standing standing, OnceSettings settings) {
        this.call = call;
        this.seen = seen;
        this.standing = standing;
        this.settings = settings;
    }

    Call call() {
        return call;
    }

    Standing standing() {
        return standing;
    }

    /** Whether this is the first run of a key that was not there, or was past its time. */
    boolean isNewKey() {
        return standing == Standing.NOTHING || standing == Standing.EXPIRED;
    }

    int attempt() {
        return isNewKey() ? 1 : before().attempts() + 1;
    }

    private OnceRecord before() {
        return Objects.requireNonNull(seen.record());
    }

    /** The user has begun as many keys as they may, and this would be another. */
    Duration quotaWait() {
        return isNewKey() ? seen.quotaWait() : Duration.ZERO;
    }

    /** Done in one commit. */
    OnceWrite completed(Response response) {
        return write(Expected.asSeen(seen.record()), 0, null, OnceStatus.COMPLETED, response);
    }

    /** Failed before anything was written. */
    OnceWrite failed() {
        return write(Expected.asSeen(seen.record()), 0, null, OnceStatus.FAILED, null);
    }

    /** Claims the right to run, for the length of a lease. */
    OnceWrite claimed(IfAbandoned ifAbandoned) {
        return write(Expected.asSeen(seen.record()), 0, ifAbandoned, OnceStatus.PROCESSING, null);
    }

    /** The owner of a fence goes on, or comes to an end. */
    OnceWrite owned(OnceRecord claim, OnceStatus status, @Nullable Response response) {
        return write(Expected.ownedBy(claim.fence()), claim.fence(), claim.ifAbandoned(), status, response);
    }

    private OnceWrite write(
            Expected expected,
            long fence,
            @Nullable IfAbandoned ifAbandoned,
            OnceStatus status,
            @Nullable Response response) {
        OnceRecord record = new OnceRecord(
                call.key(),
                call.clientTxId(),
                call.fingerprint(),
                status,
                ifAbandoned,
                attempt(),
                "",
                fence,
                isNewKey() ? seen.now() : before().createdAt(),
                null,
                kept(response));
        return new OnceWrite(expected, record, settings.life(status), settings.quota());
    }

    private @Nullable Response kept(@Nullable Response response) {
        return response != null && response.size() > settings.responseLimit() ? response.notKept() : response;
    }

    /** A change of a once-record alone, as a commit. */
    static Commit commit(OnceWrite write) {
        return Commit.of(Transactions.newAttempt(), write);
    }
}
