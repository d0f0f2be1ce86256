package dev.semel.http;

import dev.semel.store.IfAbandoned;
import dev.semel.store.Transactions;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a route takes part: whether its effect is in the request's transaction or elsewhere, and what its requests must carry.
 *
 * @param mode where the effect is
 * @param ifAbandoned for leased routes, whether a request whose server vanished may be run again; null for others
 * @param keyRequired whether a request without {@code Idempotency-Key} is refused; otherwise it is let through as it is
 * @param clientTxIdRequired whether a request without {@code X-Client-Tx-Id} is refused
 * @param pauses after each of them an atomic request is run again when others were quicker to change what it has read
 */
public record Idempotency(
        Mode mode,
        @Nullable IfAbandoned ifAbandoned,
        boolean keyRequired,
        boolean clientTxIdRequired,
        List<Duration> pauses) {

    /** Where the effect of a request is. */
    public enum Mode {
        /** Nowhere, or nobody minds if it happens again: keys are not looked at. */
        NONE,
        /** In the request's transaction alone, which is committed together with its key and its answer. */
        ATOMIC,
        /** Elsewhere: the request is claimed before and completed after. */
        LEASED
    }

    /** Requests are let through untouched. */
    public static final Idempotency NONE = new Idempotency(Mode.NONE, null, false, false, List.of());

    public Idempotency {
        if ((mode == Mode.LEASED) != (ifAbandoned != null)) {
            throw new IllegalArgumentException("A leased route, and no other, says what happens if it is abandoned");
        }
    }

    /** All effects are written in the {@linkplain IdempotencyFilter#transaction request's transaction}. */
    public static Idempotency atomic() {
        return new Idempotency(Mode.ATOMIC, null, false, false, Transactions.QUICK_PAUSES);
    }

    /** Effects are elsewhere. */
    public static Idempotency leased(IfAbandoned ifAbandoned) {
        return new Idempotency(Mode.LEASED, ifAbandoned, false, false, List.of());
    }

    /** The same, and requests must carry a key. */
    public Idempotency withKey() {
        return new Idempotency(mode, ifAbandoned, true, clientTxIdRequired, pauses);
    }

    /** The same, and requests must carry a key and the client's transaction id. */
    public Idempotency withKeyAndClientTxId() {
        return new Idempotency(mode, ifAbandoned, true, true, pauses);
    }

    /**
     * The same, and where others were quicker an atomic request is run again after each of these pauses, and not as often as is usual.
     * If that does not help, {@link dev.semel.store.ConflictException} is thrown to whoever stands before the filter.
     */
    public Idempotency withPauses(List<Duration> pauses) {
        return new Idempotency(mode, ifAbandoned, keyRequired, clientTxIdRequired, List.copyOf(pauses));
    }

    boolean hasOwnPauses() {
        return !pauses.equals(atomic().pauses);
    }
}
