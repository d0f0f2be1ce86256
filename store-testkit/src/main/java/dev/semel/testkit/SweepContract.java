package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings.IfExpired;
import dev.semel.once.OperatorAction;
import dev.semel.once.Outcome;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.StoreAdmin.Cleanup;
import dev.semel.store.admin.StoreAdmin.KeyQuery;
import dev.semel.store.admin.Sweeper;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.KeyStatus;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A sweep deletes only expired data, in bounded steps. */
public interface SweepContract extends AdminFixture {

    @ParameterizedTest
    @EnumSource
    default void expiredKey_leavesATombstone_whichIsPurgedLater(Mode mode) {
        Call call = call("k");
        run(mode, call, "a long response");
        time().advance(SETTINGS.retention().minusMillis(1));
        assertThat(sweep()).containsEntry(StoreAdmin.KEYS, 0L);
        assertThat(run(mode, call, "must not run")).isInstanceOf(Outcome.Replayed.class);

        time().advance(Duration.ofMillis(1));
        IdempotencyRecord before = Objects.requireNonNull(stored(call));
        assertThat(sweep()).containsEntry(StoreAdmin.KEYS, 1L).containsEntry(StoreAdmin.TOMBSTONES, 0L);
        assertThat(stored(call)).isEqualTo(before.toBuilder().response(null).build());
        assertThat(sweep()).containsEntry(StoreAdmin.KEYS, 0L);

        time().advance(SETTINGS.tombstone().minusMillis(1));
        sweep();
        assertThat(stored(call)).isNotNull();
        time().advance(Duration.ofMillis(1));
        assertThat(sweep()).containsEntry(StoreAdmin.KEYS, 0L).containsEntry(StoreAdmin.TOMBSTONES, 1L);
        assertThat(stored(call)).isNull();
    }

    @ParameterizedTest
    @EnumSource
    default void keyThatLeavesNoTombstone_countsOnce(Mode mode) {
        Once forgetful = newOnce(store(), SETTINGS.withTombstone(Duration.ZERO), OnceListener.NONE);
        run(forgetful, mode, call("k"), () -> Response.of("a long response"));
        time().advance(SETTINGS.retention());
        assertThat(sweep()).containsEntry(StoreAdmin.KEYS, 0L).containsEntry(StoreAdmin.TOMBSTONES, 1L);
    }

    @ParameterizedTest
    @EnumSource
    default void tombstone_isANewKey_unlessTheSettingsRejectIt(Mode mode) {
        Call call = call("k");
        run(mode, call, "first");
        IdempotencyRecord first = Objects.requireNonNull(stored(call));
        time().advance(SETTINGS.retention());
        var rejecting = newOnce(store(), SETTINGS.withIfExpired(IfExpired.REJECT), OnceListener.NONE);
        Outcome expired = new Outcome.Expired(first.createdAt(), Objects.requireNonNull(first.deadline()));
        assertThat(run(rejecting, mode, call, () -> Response.of("must not run")))
                .isEqualTo(expired);
        sweep();
        assertThat(run(rejecting, mode, call, () -> Response.of("must not run")))
                .isEqualTo(expired);
        assertThat(run(rejecting, mode, call(call.key().key(), "{}"), () -> Response.of("must not run")))
                .isEqualTo(expired);
        Outcome second = run(mode, call, "second");
        assertThat(((Outcome.Executed) second).attempt()).isEqualTo(1);
        assertThat(run(rejecting, mode, call, () -> Response.of("must not run")))
                .isInstanceOf(Outcome.Replayed.class);
    }

    @ParameterizedTest
    @EnumSource
    default void clockThatIsSetBack_makesNoResponseOfATombstone(Mode mode) {
        Call call = call("k");
        run(mode, call, "first");
        Instant then = time().instant();
        time().advance(SETTINGS.retention());
        sweep();
        time().setClock(then);
        assertThat(run(mode, call, "second")).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    default void keyWithoutATombstone_staysAsLongAsAQuotaMayCountIt() {
        Call call = call("k");
        var brief = SETTINGS.withRetention(Duration.ofSeconds(1)).withTombstone(Duration.ZERO);
        run(newOnce(store(), brief, OnceListener.NONE), Mode.LEASED, call, () -> Response.of("done"));
        time().advance(Duration.ofMinutes(59));
        sweep();
        assertThat(stored(call)).isNotNull();
        time().advance(Duration.ofMinutes(1));
        sweep();
        assertThat(stored(call)).isNull();
    }

    @Test
    default void completedKey_thatMustNotBeRunAgain_isSweptOnce() {
        Call call = call("k");
        newOnce().leased(call, IfAbandoned.FREEZE, lease -> Response.of("done"));
        time().advance(SETTINGS.retention());
        assertThat(sweep()).containsEntry(StoreAdmin.KEYS, 1L);
        assertThat(sweep()).containsEntry(StoreAdmin.KEYS, 0L);
    }

    @ParameterizedTest
    @EnumSource
    default void failedKey_isPurgedAfterItsTombstoneTtl(Mode mode) {
        Call call = call("k");
        run(newOnce(), mode, call, () -> {
            throw new IllegalStateException("failed");
        });
        time().advance(SETTINGS.failedRetention());
        sweep();
        assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(Status.FAILED);
        time().advance(SETTINGS.tombstone());
        sweep();
        assertThat(stored(call)).isNull();
    }

    @Test
    default void abandonedKey_thatMayBeRunAgain_isDeletedWithItsTombstone() {
        Call call = call("k");
        claimAndCrash(call, IfAbandoned.RERUN);
        time().advance(SETTINGS.lease());
        assertThat(sweep()).containsEntry(StoreAdmin.KEYS, 0L);
        assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(Status.PROCESSING);
        time().advance(SETTINGS.tombstone());
        assertThat(sweep()).containsEntry(StoreAdmin.KEYS, 1L);
        assertThat(stored(call)).isNull();
    }

    @Test
    default void abandonedKey_thatMustNotBeRunAgain_becomesUnknown_andStays() {
        Call call = call("k");
        IdempotencyRecord claim = claimAndCrash(call, IfAbandoned.FREEZE);
        time().advance(SETTINGS.lease().minusMillis(1));
        sweep();
        assertThat(stored(call)).isEqualTo(claim);
        time().advance(Duration.ofMillis(1));
        assertThat(sweep()).containsEntry(StoreAdmin.KEYS, 0L);
        IdempotencyRecord unknown = Objects.requireNonNull(stored(call));
        assertThat(unknown.status()).isEqualTo(Status.UNKNOWN);
        assertThat(unknown.deadline()).isNull();
        assertThat(unknown.purgeAt()).isNull();
        assertThat(unknown.fencingToken()).isEqualTo(claim.fencingToken());
        time().advance(Duration.ofDays(1000));
        sweep();
        assertThat(stored(call)).isEqualTo(unknown);
        assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.Unknown.class);
    }

    @Test
    default void unknownKey_isListedUntilAnOperatorResolvesIt_andPurgedAfterwards() {
        KeyQuery unknown = KeyQuery.all(10).in(KeyStatus.UNKNOWN);
        Call released = call("released");
        Call completed = call("completed");
        claimAndCrash(released, IfAbandoned.FREEZE);
        claimAndCrash(completed, IfAbandoned.FREEZE);
        assertThat(admin().list(unknown).records()).isEmpty();
        time().advance(SETTINGS.lease());
        for (int day = 0; day < 1000; day += 250) {
            assertThat(admin().list(unknown).records())
                    .extracting(record -> record.key().key())
                    .containsExactlyInAnyOrder("released", "completed");
            sweep();
            time().advance(Duration.ofDays(250));
        }
        resolve(released, OperatorAction.RELEASE);
        resolve(completed, OperatorAction.COMPLETE);
        assertThat(admin().list(unknown).records()).isEmpty();
        time().advance(SETTINGS.failedRetention().plus(SETTINGS.tombstone()));
        assertThat(sweep()).containsEntry(StoreAdmin.TOMBSTONES, 2L);
        assertThat(stored(released)).isNull();
        assertThat(stored(completed)).isNull();
    }

    private void resolve(Call call, OperatorAction action) {
        IdempotencyWrite write =
                Objects.requireNonNull(action.on(store().find(call.key()), SETTINGS, Response.of("by hand")));
        assertThat(store().compareAndSet(newCommitId(), write)).isInstanceOf(CommitResult.Applied.class);
    }

    @Test
    default void unknownKey_stays() {
        Call call = call("k");
        write(call, Precondition.ABSENT, Status.UNKNOWN, null, null);
        time().advance(Duration.ofDays(1000));
        sweep();
        assertThat(stored(call)).isNotNull();
    }

    @Test
    default void sweeps_areLogged_latestFirst() {
        Instant first = time().instant();
        admin().log(List.of(new Cleanup("posts", 3, first)));
        run(Mode.LEASED, call("k"), "done");
        time().advance(SETTINGS.retention());
        sweep();
        List<Cleanup> logged = admin().cleanups(100);
        assertThat(logged.get(logged.size() - 1)).isEqualTo(new Cleanup("posts", 3, first));
        assertThat(logged).contains(new Cleanup(StoreAdmin.KEYS, 1, time().instant()));
        assertThat(admin().cleanups(1)).hasSize(1);
        assertThat(admin().cleanups(1).get(0).time()).isEqualTo(time().instant());
        List<Cleanup> paged = new ArrayList<>();
        List<Cleanup> page = admin().cleanups(2);
        while (!page.isEmpty()) {
            paged.addAll(page);
            page = admin().cleanups(page.get(page.size() - 1), 2);
        }
        assertThat(paged).isEqualTo(logged);
    }

    @Test
    default void sweepThatFails_isLoggedAsFarAsItCame() {
        run(Mode.LEASED, call("k"), "done");
        time().advance(SETTINGS.retention());
        Sweeper.Task broken = new Sweeper.Task("posts", () -> {
            throw new IllegalStateException("broken");
        });
        assertThatThrownBy(() -> new Sweeper(admin(), time(), List.of(broken), (cleanups, complete) -> {}).sweep())
                .hasMessage("broken");
        assertThat(admin().cleanups(100)).contains(new Cleanup(StoreAdmin.KEYS, 1, time().instant()));
    }

    @Test
    default void sweepsAtHugeIntervals_start() {
        List<Boolean> completed = new ArrayList<>();
        try (Sweeper sweeper =
                new Sweeper(admin(), time(), List.of(), (cleanups, complete) -> completed.add(complete))) {
            sweeper.every(Duration.ofSeconds(Long.MAX_VALUE), e -> {});
            time().advance(Duration.ofMinutes(2));
            assertThat(completed).containsExactly(true);
        }
    }

    /** A server is stopped during a sweep, and restarted. */
    @Test
    default void sweepThatWasCutOff_isCompletedSoonAfterTheNextStart() {
        int keys = 60;
        for (int i = 0; i < keys; i++) {
            run(Mode.LEASED, call("k" + i), "done");
        }
        time().advance(SETTINGS.retention());
        List<Boolean> completed = new ArrayList<>();
        List<Cleanup> swept = new ArrayList<>();
        Sweeper.Listener listener = (cleanups, complete) -> {
            completed.add(complete);
            swept.addAll(cleanups);
        };
        Sweeper stopped = new Sweeper(admin(), time(), List.of(), listener);
        time().after(Duration.ZERO, stopped::close); // happens during its first pause
        stopped.sweep();
        try (Sweeper next = new Sweeper(admin(), time(), List.of(), listener)) {
            next.every(Duration.ofHours(6), e -> {});
            time().advance(Duration.ofMinutes(2));
        }
        assertThat(completed).containsExactly(false, true);
        assertThat(swept.stream()
                        .filter(cleanup -> cleanup.table().equals(StoreAdmin.KEYS))
                        .mapToLong(Cleanup::deleted)
                        .sum())
                .isEqualTo(keys);
        assertThat(admin().cleanups(100)).containsExactlyInAnyOrderElementsOf(swept);
    }

    @Test
    default void otherTasks_areRepeatedUntilNothingIsLeft() {
        AtomicInteger left = new AtomicInteger(250);
        List<Cleanup> heard = new ArrayList<>();
        Sweeper.Task task = new Sweeper.Task("posts", () -> {
            long some = Math.min(100, left.get());
            left.addAndGet((int) -some);
            return some;
        });
        try (Sweeper sweeper =
                new Sweeper(admin(), time(), List.of(task), (cleanups, complete) -> heard.addAll(cleanups))) {
            sweeper.every(Duration.ofHours(6), e -> {});
            time().advance(Duration.ofSeconds(59));
            assertThat(heard).isEmpty();
            time().advance(Duration.ofSeconds(8));
            assertThat(heard).extracting(Cleanup::table, Cleanup::deleted).contains(tuple("posts", 250L));
            heard.clear();
            time().advance(Duration.ofHours(6).minusMinutes(1));
            assertThat(heard).isEmpty();
            time().advance(Duration.ofMinutes(38));
            assertThat(heard).extracting(Cleanup::table, Cleanup::deleted).contains(tuple("posts", 0L));
        }
        heard.clear();
        time().advance(Duration.ofHours(60));
        assertThat(heard).isEmpty();
    }
}
