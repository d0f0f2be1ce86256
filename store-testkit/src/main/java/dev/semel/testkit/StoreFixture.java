package dev.semel.testkit;

import dev.semel.id.IdSchemes;
import dev.semel.json.Fingerprint;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Time;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import dev.semel.store.spi.OnceStore;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;

/** What all topics of the contract have in common: a store, a clock, and engines on them. */
@ExtendWith(SkipsWhatIsNotImplemented.class)
public interface StoreFixture {

    /** The settings that the topics count on: those that users get, but without a quota. */
    OnceSettings SETTINGS = OnceSettings.DEFAULTS.withQuota(Quota.NONE);

    /** The payload that calls carry unless they say otherwise. */
    String PAYLOAD = "{\"amount\":100}";

    /** An empty store, opened for this test. */
    OnceStore store();

    /** The clock of the store. */
    ControlledTime time();

    /** Another empty store, independent of the first, with another clock. */
    OnceStore openAnother(Time time);

    /** How an operation is run. */
    enum Mode {
        ATOMIC,
        LEASED
    }

    /** How operations can be run on the store. */
    default List<Mode> modes() {
        return store() instanceof DocumentStore ? List.of(Mode.values()) : List.of(Mode.LEASED);
    }

    /** Runs an operation that does nothing but respond. */
    default Outcome run(Mode mode, Call call, String response) {
        return run(newOnce(), mode, call, () -> Response.of(response));
    }

    /** Runs an operation that does nothing but respond, on a given engine. */
    default Outcome run(Once once, Mode mode, Call call, Callable<Response> operation) {
        return mode == Mode.ATOMIC
                ? once.atomic(call, tx -> operation.call())
                : once.leased(call, IfAbandoned.RERUN, lease -> operation.call());
    }

    /** An engine on the store, as a server of its own would have. */
    default Once newOnce() {
        return newOnce(store(), SETTINGS, OnceListener.NONE);
    }

    /** An engine with other settings, or on a store that fails. */
    default Once newOnce(OnceStore store, OnceSettings settings, OnceListener listener) {
        return new Once(store, time(), settings, listener);
    }

    /** A new commit id. */
    default String newCommitId() {
        return IdSchemes.TID62.mint();
    }

    /** Throws anything where the compiler expects an unchecked exception. */
    @SuppressWarnings("unchecked")
    static <T extends Throwable> T unchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }

    /** A call by ann. */
    static Call call(String key) {
        return call(key, PAYLOAD);
    }

    /** A call by ann with another payload. */
    static Call call(String key, String payload) {
        return Call.of(new IdempotencyKey("ann", "POST /payments", key), Fingerprint.ofJson(payload));
    }

    /** The stored record of a call. */
    default @Nullable IdempotencyRecord stored(Call call) {
        return store().find(call.key()).record();
    }

    /** Leaves a record as an owner does who has claimed an operation and crashes. */
    default IdempotencyRecord claimAndCrash(Call call, IfAbandoned ifAbandoned) {
        return write(call, Precondition.unchanged(stored(call)), Status.PROCESSING, ifAbandoned, null);
    }

    /** Writes a record straight into the store. */
    default IdempotencyRecord write(
            Call call,
            Precondition precondition,
            Status status,
            @Nullable IfAbandoned ifAbandoned,
            @Nullable Response response) {
        CommitResult result = store().compareAndSet(
                        newCommitId(), idempotencyWrite(call, precondition, 0, status, ifAbandoned, response));
        return Objects.requireNonNull(((CommitResult.Applied) result).record());
    }

    /** A change to the record of a call. */
    default IdempotencyWrite idempotencyWrite(
            Call call,
            Precondition precondition,
            long fencingToken,
            Status status,
            @Nullable IfAbandoned ifAbandoned,
            @Nullable Response response) {
        Duration ttl = switch (status) {
            case PROCESSING -> SETTINGS.lease();
            case COMPLETED -> SETTINGS.retention();
            case FAILED -> SETTINGS.failedRetention();
            case UNKNOWN -> null;
        };
        IdempotencyRecord record = IdempotencyRecord.builder(call.key(), call.clientTxId(), call.fingerprint())
                .status(status)
                .ifAbandoned(ifAbandoned)
                .fencingToken(fencingToken)
                .createdAt(store().clock().instant())
                .response(response)
                .build();
        return new IdempotencyWrite(precondition, record, ttl, SETTINGS.tombstone(), Quota.NONE);
    }
}
