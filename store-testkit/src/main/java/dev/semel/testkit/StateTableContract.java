package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.once.Call;
import dev.semel.once.Outcome;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The state table of the engine: the outcome for each state of a key, with the same and with another payload. */
public interface StateTableContract extends StoreFixture {

    private static Call other(Call call) {
        return call(call.key().key(), "{\"amount\":999}");
    }

    private void assertStarts(Mode mode, Call call, int attempt) {
        Outcome outcome = run(mode, call, "ran now");
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        Outcome.Executed executed = (Outcome.Executed) outcome;
        assertThat(executed.response().text()).isEqualTo("ran now");
        assertThat(executed.attempt()).isEqualTo(attempt);
        IdempotencyRecord record = Objects.requireNonNull(stored(call));
        assertThat(record.status()).isEqualTo(Status.COMPLETED);
        assertThat(record.fingerprint()).isEqualTo(call.fingerprint());
        assertThat(record.attempts()).isEqualTo(attempt);
    }

    /** Asserts that the call is a mismatch, and that the record is unchanged. */
    private void assertMismatch(Mode mode, Call call) {
        IdempotencyRecord before = stored(call);
        assertThat(run(mode, other(call), "must not run")).isEqualTo(new Outcome.Mismatch());
        assertThat(stored(call)).isEqualTo(before);
    }

    private void leaseEnds() {
        time().advance(SETTINGS.lease());
    }

    @ParameterizedTest
    @EnumSource
    default void absent_same_starts(Mode mode) {
        assertStarts(mode, call("k"), 1);
    }

    @ParameterizedTest
    @EnumSource
    default void absent_other_starts(Mode mode) {
        assertStarts(mode, other(call("k")), 1);
    }

    @ParameterizedTest
    @EnumSource
    default void expired_same_startsANewKey(Mode mode) {
        Call call = call("k");
        write(call, Precondition.ABSENT, Status.COMPLETED, null, Response.of("long ago"));
        time().advance(SETTINGS.retention());
        assertStarts(mode, call, 1);
        assertThat(Objects.requireNonNull(stored(call)).createdAt()).isEqualTo(time().instant());
    }

    @ParameterizedTest
    @EnumSource
    default void expired_other_startsANewKey(Mode mode) {
        Call call = call("k");
        write(call, Precondition.ABSENT, Status.COMPLETED, null, Response.of("long ago"));
        time().advance(SETTINGS.retention());
        assertStarts(mode, other(call), 1);
    }

    @ParameterizedTest
    @EnumSource
    default void running_same_isInProgress(Mode mode) {
        Call call = call("k");
        claimAndCrash(call, IfAbandoned.RERUN);
        time().advance(SETTINGS.lease().minusNanos(1_000_000));
        assertThat(run(mode, call, "must not run")).isEqualTo(new Outcome.InProgress(Duration.ofSeconds(1)));
    }

    @ParameterizedTest
    @EnumSource
    default void running_other_isMismatch(Mode mode) {
        Call call = call("k");
        claimAndCrash(call, IfAbandoned.RERUN);
        assertMismatch(mode, call);
    }

    @ParameterizedTest
    @EnumSource
    default void abandoned_same_startsWithAHigherFencingToken(Mode mode) {
        Call call = call("k");
        IdempotencyRecord abandoned = claimAndCrash(call, IfAbandoned.RERUN);
        leaseEnds();
        assertStarts(mode, call, 2);
        IdempotencyRecord record = Objects.requireNonNull(stored(call));
        assertThat(record.fencingToken()).isGreaterThan(abandoned.fencingToken());
        assertThat(record.createdAt()).isEqualTo(abandoned.createdAt());
    }

    @ParameterizedTest
    @EnumSource
    default void abandoned_other_isMismatch(Mode mode) {
        Call call = call("k");
        claimAndCrash(call, IfAbandoned.RERUN);
        leaseEnds();
        assertMismatch(mode, call);
    }

    @ParameterizedTest
    @EnumSource
    default void toFreeze_same_becomesUnknown(Mode mode) {
        Call call = call("k");
        IdempotencyRecord abandoned = claimAndCrash(call, IfAbandoned.FREEZE);
        leaseEnds();
        assertThat(run(mode, call, "must not run")).isEqualTo(new Outcome.Unknown(1, abandoned.createdAt()));
        IdempotencyRecord record = Objects.requireNonNull(stored(call));
        assertThat(record.status()).isEqualTo(Status.UNKNOWN);
        assertThat(record.deadline()).isNull();
    }

    @ParameterizedTest
    @EnumSource
    default void toFreeze_other_isMismatch(Mode mode) {
        Call call = call("k");
        claimAndCrash(call, IfAbandoned.FREEZE);
        leaseEnds();
        assertMismatch(mode, call);
    }

    @ParameterizedTest
    @EnumSource
    default void completed_same_isReplayed(Mode mode) {
        Call call = call("k");
        IdempotencyRecord record = write(call, Precondition.ABSENT, Status.COMPLETED, null, Response.of("first"));
        time().advance(SETTINGS.retention().minusNanos(1_000_000));
        assertThat(run(mode, call, "must not run"))
                .isEqualTo(new Outcome.Replayed(
                        Response.of("first"), 1, record.createdAt(), Objects.requireNonNull(record.deadline())));
        assertThat(stored(call)).isEqualTo(record);
    }

    @ParameterizedTest
    @EnumSource
    default void completed_other_isMismatch(Mode mode) {
        Call call = call("k");
        write(call, Precondition.ABSENT, Status.COMPLETED, null, Response.of("first"));
        assertMismatch(mode, call);
    }

    @ParameterizedTest
    @EnumSource
    default void failed_same_startsWithOneMoreAttempt(Mode mode) {
        Call call = call("k");
        IdempotencyRecord failed = write(call, Precondition.ABSENT, Status.FAILED, null, null);
        time().advance(SETTINGS.failedRetention().minusNanos(1_000_000));
        assertStarts(mode, call, 2);
        assertThat(Objects.requireNonNull(stored(call)).createdAt()).isEqualTo(failed.createdAt());
    }

    @ParameterizedTest
    @EnumSource
    default void failed_other_isMismatch(Mode mode) {
        Call call = call("k");
        write(call, Precondition.ABSENT, Status.FAILED, null, null);
        assertMismatch(mode, call);
    }

    @ParameterizedTest
    @EnumSource
    default void unknown_same_staysUnknown(Mode mode) {
        Call call = call("k");
        IdempotencyRecord unknown = write(call, Precondition.ABSENT, Status.UNKNOWN, IfAbandoned.FREEZE, null);
        time().advance(Duration.ofDays(10_000));
        assertThat(run(mode, call, "must not run")).isEqualTo(new Outcome.Unknown(1, unknown.createdAt()));
        assertThat(stored(call)).isEqualTo(unknown);
    }

    @ParameterizedTest
    @EnumSource
    default void unknown_other_isMismatch(Mode mode) {
        Call call = call("k");
        write(call, Precondition.ABSENT, Status.UNKNOWN, IfAbandoned.FREEZE, null);
        assertMismatch(mode, call);
    }
}
