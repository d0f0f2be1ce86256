package dev.semel.http;

import dev.semel.document.Transactions;
import dev.semel.store.IfAbandoned;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a route takes part: whether its effect is in the request's transaction or elsewhere, and what its requests must carry.
 *
 * @param mode where the effect is
 * @param ifAbandoned for leased routes, whether a request whose server crashed may be run again; null for others
 * @param keyRequired whether a request without {@code Idempotency-Key} is rejected; otherwise it is passed on unchanged
 * @param clientTxIdRequired whether a request without {@code X-Client-Tx-Id} is rejected
 * @param backoff pauses between the retries of an atomic request after write conflicts
 */
public record Idempotency(
        Mode mode,
        @Nullable IfAbandoned ifAbandoned,
        boolean keyRequired,
        boolean clientTxIdRequired,
        List<Duration> backoff) {

    /** Where the effect of a request is. */
    public enum Mode {
        /** Nowhere, or it may happen again: keys are ignored. */
        NONE,
        /** In the request's transaction alone, which is committed together with its key and its response. */
        ATOMIC,
        /** Elsewhere: the request is claimed before and completed after. */
        LEASED
    }

    /** Requests are passed on unchanged. */
    public static final Idempotency NONE = new Idempotency(Mode.NONE, null, false, false, List.of());

    public Idempotency {
        if ((mode == Mode.LEASED) != (ifAbandoned != null)) {
            throw new IllegalArgumentException(
                    "ifAbandoned is required for a leased route, and not allowed for others");
        }
    }

    /** All effects are written in the request's transaction. */
    public static Idempotency atomic() {
        return new Idempotency(Mode.ATOMIC, null, false, false, Transactions.DEFAULT_BACKOFF);
    }

    /** Effects are elsewhere. */
    public static Idempotency leased(IfAbandoned ifAbandoned) {
        return new Idempotency(Mode.LEASED, ifAbandoned, false, false, List.of());
    }

    /** The same, and requests must carry a key. */
    public Idempotency withKey() {
        return new Idempotency(mode, ifAbandoned, true, clientTxIdRequired, backoff);
    }

    /** The same, and requests must carry a key and the client's transaction id. */
    public Idempotency withKeyAndClientTxId() {
        return new Idempotency(mode, ifAbandoned, true, true, backoff);
    }

    /**
     * The same, with another backoff for the write conflicts of an atomic request. If every retry conflicts,
     * {@link dev.semel.document.Transactions.WriteConflictException} is thrown to whoever called the filter.
     */
    public Idempotency withBackoff(List<Duration> backoff) {
        return new Idempotency(mode, ifAbandoned, keyRequired, clientTxIdRequired, List.copyOf(backoff));
    }

    boolean hasOwnBackoff() {
        return !backoff.equals(atomic().backoff);
    }
}
