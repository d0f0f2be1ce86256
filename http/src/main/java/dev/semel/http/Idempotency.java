package dev.semel.http;

import dev.semel.document.Transactions;
import dev.semel.store.IfAbandoned;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The idempotency rule of a route.
 *
 * @param mode where the handler has its effect
 * @param ifAbandoned whether a request whose server crashed may run again; required for leased routes, null for others
 * @param keyRequired whether a request without {@code Idempotency-Key} is rejected; otherwise it is passed on unchanged
 * @param clientTxIdRequired whether a request without {@code X-Client-Tx-Id} is rejected
 * @param anyKey whether every string of RFC 8941 with 1 to 255 characters is a valid key; otherwise 1 to 255 of {@code A-Za-z0-9_-}
 * @param backoff the pause before each retry of an atomic request after a write conflict
 */
public record Idempotency(
        Mode mode,
        @Nullable IfAbandoned ifAbandoned,
        boolean keyRequired,
        boolean clientTxIdRequired,
        boolean anyKey,
        List<Duration> backoff) {

    /** Where a handler has its effect. */
    public enum Mode {
        /** The route has no effect, or repeating it is harmless: keys are ignored. */
        NONE,
        /** In the request's transaction alone. Effect, key and response are one commit. */
        ATOMIC,
        /** Elsewhere. The request is claimed in one commit and completed in another, and holds a lease in between. */
        LEASED
    }

    /** The rule for routes whose requests are passed on unchanged. */
    public static final Idempotency NONE = new Idempotency(Mode.NONE, null, false, false, false, List.of());

    public Idempotency {
        if ((mode == Mode.LEASED) != (ifAbandoned != null)) {
            throw new IllegalArgumentException("ifAbandoned must be set for a leased route and null for others, but is "
                    + ifAbandoned + " for " + mode);
        }
    }

    /** Returns the rule for routes whose handlers write only in the request's transaction. */
    public static Idempotency atomic() {
        return new Idempotency(Mode.ATOMIC, null, false, false, false, Transactions.DEFAULT_BACKOFF);
    }

    /** Returns the rule for routes whose handlers have effects elsewhere. */
    public static Idempotency leased(IfAbandoned ifAbandoned) {
        return new Idempotency(Mode.LEASED, ifAbandoned, false, false, false, List.of());
    }

    /** Returns this rule, with a key required. */
    public Idempotency withKey() {
        return new Idempotency(mode, ifAbandoned, true, clientTxIdRequired, anyKey, backoff);
    }

    /** Returns this rule, with a key and a client transaction id required. */
    public Idempotency withKeyAndClientTxId() {
        return new Idempotency(mode, ifAbandoned, true, true, anyKey, backoff);
    }

    /**
     * Returns this rule, with any key accepted that a string of RFC 8941 can represent: 1 to 255 printable ASCII characters. The header
     * contains it as such a string, or bare if it does not start with a quote.
     */
    public Idempotency withAnyKey() {
        return new Idempotency(mode, ifAbandoned, keyRequired, clientTxIdRequired, true, backoff);
    }

    /**
     * Returns this rule with another backoff for write conflicts. If every retry conflicts, the caller of the filter gets a
     * {@link dev.semel.document.Transactions.WriteConflictException}.
     */
    public Idempotency withBackoff(List<Duration> backoff) {
        return new Idempotency(mode, ifAbandoned, keyRequired, clientTxIdRequired, anyKey, List.copyOf(backoff));
    }

    boolean hasOwnBackoff() {
        return !backoff.equals(atomic().backoff);
    }
}
