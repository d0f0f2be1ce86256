package dev.semel.once;

import dev.semel.store.Expected;
import dev.semel.store.IfAbandoned;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.OnceWrite;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Sighting;
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
        return begin(OnceStatus.COMPLETED, null, kept(response));
    }

    /** Failed before anything was written. */
    OnceWrite failed() {
        return begin(OnceStatus.FAILED, null, null);
    }

    /** It cannot be told what became of it. */
    OnceWrite unknown() {
        return begin(OnceStatus.UNKNOWN, null, null);
    }

    /** Claims the right to run, for the length of a lease. */
    OnceWrite claimed(IfAbandoned ifAbandoned) {
        return begin(OnceStatus.PROCESSING, ifAbandoned, null);
    }

    /** The owner of a claim goes on, or comes to an end. */
    OnceWrite owned(OnceRecord claim, OnceStatus status, @Nullable Response response) {
        OnceRecord next = claim.with(status, response == null ? null : kept(response));
        return new OnceWrite(
                Expected.ownedBy(claim.fence()), next, settings.life(status), settings.afterlife(status), Quota.NONE);
    }

    private OnceWrite begin(OnceStatus status, @Nullable IfAbandoned ifAbandoned, @Nullable Response response) {
        OnceRecord record = new OnceRecord(
                call.key(),
                call.clientTxId(),
                call.fingerprint(),
                status,
                ifAbandoned,
                attempt(),
                "",
                0,
                isNewKey() ? seen.now() : before().createdAt(),
                null,
                null,
                response);
        return new OnceWrite(
                Expected.asSeen(seen.record()),
                record,
                settings.life(status),
                settings.afterlife(status),
                settings.quota());
    }

    private Response kept(Response response) {
        return response.size() > settings.responseLimit() ? response.notKept() : response;
    }
}
