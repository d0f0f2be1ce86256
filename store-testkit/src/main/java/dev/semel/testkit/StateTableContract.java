package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.once.Call;
import dev.semel.once.Outcome;
import dev.semel.store.Expected;
import dev.semel.store.IfAbandoned;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.Response;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The table of the engine, cell by cell: how a key stands, and whether the call asks for the same. */
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
        OnceRecord record = Objects.requireNonNull(stored(call));
        assertThat(record.status()).isEqualTo(OnceStatus.COMPLETED);
        assertThat(record.fingerprint()).isEqualTo(call.fingerprint());
        assertThat(record.attempts()).isEqualTo(attempt);
    }

    /** The outcome is what it should be, and nothing has changed. */
    private void assertMismatch(Mode mode, Call call) {
        OnceRecord before = stored(call);
        assertThat(run(mode, other(call), "must not run")).isEqualTo(new Outcome.Mismatch());
        assertThat(stored(call)).isEqualTo(before);
    }

    private void leaseEnds() {
        time().advance(SETTINGS.lease());
    }

    @Test
    default void nothing_same_starts() {
        for (Mode mode : modes()) {
            assertStarts(mode, call("k-" + mode), 1);
        }
    }

    @Test
    default void nothing_other_starts() {
        for (Mode mode : modes()) {
            assertStarts(mode, other(call("k-" + mode)), 1);
        }
    }

    @Test
    default void expired_same_startsAnew() {
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            write(call, Expected.ABSENT, OnceStatus.COMPLETED, null, Response.of("long ago"));
            time().advance(SETTINGS.retention());
            assertStarts(mode, call, 1);
            assertThat(Objects.requireNonNull(stored(call)).createdAt()).isEqualTo(time().instant());
        }
    }

    @Test
    default void expired_other_startsAnew() {
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            write(call, Expected.ABSENT, OnceStatus.COMPLETED, null, Response.of("long ago"));
            time().advance(SETTINGS.retention());
            assertStarts(mode, other(call), 1);
        }
    }

    @Test
    default void processingWithLiveLease_same_isInProgress() {
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            claimAndVanish(call, IfAbandoned.RERUN);
            time().advance(SETTINGS.lease().minusNanos(1_000_000));
            assertThat(run(mode, call, "must not run")).isEqualTo(new Outcome.InProgress(Duration.ofSeconds(1)));
        }
    }

    @Test
    default void processingWithLiveLease_other_isMismatch() {
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            claimAndVanish(call, IfAbandoned.RERUN);
            assertMismatch(mode, call);
        }
    }

    @Test
    default void processingWithLeaseOver_same_rerun_startsWithAHigherFence() {
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            OnceRecord abandoned = claimAndVanish(call, IfAbandoned.RERUN);
            leaseEnds();
            assertStarts(mode, call, 2);
            OnceRecord record = Objects.requireNonNull(stored(call));
            assertThat(record.fence()).isGreaterThan(abandoned.fence());
            assertThat(record.createdAt()).isEqualTo(abandoned.createdAt());
        }
    }

    @Test
    default void processingWithLeaseOver_other_rerun_isMismatch() {
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            claimAndVanish(call, IfAbandoned.RERUN);
            leaseEnds();
            assertMismatch(mode, call);
        }
    }

    @Test
    default void processingWithLeaseOver_same_freeze_becomesUnknown() {
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            OnceRecord abandoned = claimAndVanish(call, IfAbandoned.FREEZE);
            leaseEnds();
            assertThat(run(mode, call, "must not run")).isEqualTo(new Outcome.Unknown(1, abandoned.createdAt()));
            OnceRecord record = Objects.requireNonNull(stored(call));
            assertThat(record.status()).isEqualTo(OnceStatus.UNKNOWN);
            assertThat(record.deadline()).isNull();
        }
    }

    @Test
    default void processingWithLeaseOver_other_freeze_isMismatch() {
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            claimAndVanish(call, IfAbandoned.FREEZE);
            leaseEnds();
            assertMismatch(mode, call);
        }
    }

    @Test
    default void completed_same_isReplayed() {
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            OnceRecord record = write(call, Expected.ABSENT, OnceStatus.COMPLETED, null, Response.of("first"));
            time().advance(SETTINGS.retention().minusNanos(1_000_000));
            assertThat(run(mode, call, "must not run"))
                    .isEqualTo(new Outcome.Replayed(
                            Response.of("first"), 1, record.createdAt(), Objects.requireNonNull(record.deadline())));
            assertThat(stored(call)).isEqualTo(record);
        }
    }

    @Test
    default void completed_other_isMismatch() {
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            write(call, Expected.ABSENT, OnceStatus.COMPLETED, null, Response.of("first"));
            assertMismatch(mode, call);
        }
    }

    @Test
    default void failed_same_startsWithOneMoreAttempt() {
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            OnceRecord failed = write(call, Expected.ABSENT, OnceStatus.FAILED, null, null);
            time().advance(SETTINGS.failedRetention().minusNanos(1_000_000));
            assertStarts(mode, call, 2);
            assertThat(Objects.requireNonNull(stored(call)).createdAt()).isEqualTo(failed.createdAt());
        }
    }

    @Test
    default void failed_other_isMismatch() {
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            write(call, Expected.ABSENT, OnceStatus.FAILED, null, null);
            assertMismatch(mode, call);
        }
    }

    @Test
    default void unknown_same_staysUnknownForEver() {
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            OnceRecord unknown = write(call, Expected.ABSENT, OnceStatus.UNKNOWN, IfAbandoned.FREEZE, null);
            time().advance(Duration.ofDays(10_000));
            assertThat(run(mode, call, "must not run")).isEqualTo(new Outcome.Unknown(1, unknown.createdAt()));
            assertThat(stored(call)).isEqualTo(unknown);
        }
    }

    @Test
    default void unknown_other_isMismatch() {
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            write(call, Expected.ABSENT, OnceStatus.UNKNOWN, IfAbandoned.FREEZE, null);
            assertMismatch(mode, call);
        }
    }
}
