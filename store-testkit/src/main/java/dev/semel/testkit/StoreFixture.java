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

/** What all topics of the contract share: a store, its clock, and engines on the store. */
@ExtendWith(SkipsWhatIsNotImplemented.class)
public interface StoreFixture {

    /** The settings of the tests: the defaults. */
    OnceSettings SETTINGS = OnceSettings.DEFAULTS;

    /** Users as identity providers name them. Some differ only in case or in their encoding, and some contain others. */
    List<String> USERS = List.of(
            "bob@example.com",
            "Bob@example.com",
            "auth0|42",
            "ann",
            "bob",
            "ann,bob",
            "{ann,bob}",
            "a/b",
            "a",
            "CN=Bob, O=\"Example\"",
            "'; drop table idempotency_records; --",
            "50%_\\",
            " ",
            "Zo\u00eb",
            "Zoe\u0308",
            "\u674e\u5c0f\u9f99",
            "\ud83d\ude00",
            "\uffff",
            "\ud83d\ude00".repeat(255));

    /** The payload of calls, by default. */
    String PAYLOAD = "{\"amount\":100}";

    /** Returns the store of this test, which is empty at the start. */
    OnceStore store();

    /** Returns the clock of the store. */
    ControlledTime time();

    /** Opens another empty store, independent of the first, with another clock. */
    OnceStore openAnother(Time time);

    /** The two ways to run an operation. */
    enum Mode {
        ATOMIC,
        LEASED
    }

    /** Returns the modes that the store supports. */
    default List<Mode> modes() {
        return store() instanceof DocumentStore ? List.of(Mode.values()) : List.of(Mode.LEASED);
    }

    /** Runs an operation that only returns a response. */
    default Outcome run(Mode mode, Call call, String response) {
        return run(newOnce(), mode, call, () -> Response.of(response));
    }

    /** Runs an operation without effects on a given engine. */
    default Outcome run(Once once, Mode mode, Call call, Callable<Response> operation) {
        return mode == Mode.ATOMIC
                ? once.atomic(call, tx -> operation.call())
                : once.leased(call, IfAbandoned.RERUN, lease -> operation.call());
    }

    /** Returns a new engine on the store, as another server would have. */
    default Once newOnce() {
        return newOnce(store(), SETTINGS, OnceListener.NONE);
    }

    /** Returns a new engine with other settings or on another store. */
    default Once newOnce(OnceStore store, OnceSettings settings, OnceListener listener) {
        return new Once(store, time(), settings, listener);
    }

    default String newCommitId() {
        return IdSchemes.TID62.mint();
    }

    /** Throws anything where the compiler expects an unchecked exception. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    static <T extends Throwable> T unchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }

    /** Returns a call of the user ann. */
    static Call call(String key) {
        return call(key, PAYLOAD);
    }

    /** Returns a call of the user ann with another payload. */
    static Call call(String key, String payload) {
        return Call.of(new IdempotencyKey("ann", "POST /payments", key), Fingerprint.ofJson(payload));
    }

    /** Returns the stored record of a call, or null. */
    default @Nullable IdempotencyRecord stored(Call call) {
        return store().find(call.key()).record();
    }

    /** Writes the record that an owner leaves behind if it crashes after claiming an operation. */
    default IdempotencyRecord claimAndCrash(Call call, IfAbandoned ifAbandoned) {
        return write(call, Precondition.unchanged(stored(call)), Status.PROCESSING, ifAbandoned, null);
    }

    /** Writes a record directly to the store. */
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

    /** Returns a write of the record of a call. */
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
