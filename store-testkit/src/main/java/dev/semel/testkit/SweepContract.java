package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static dev.semel.testkit.StoreFixture.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.semel.json.Json;
import dev.semel.once.Call;
import dev.semel.once.IfExpired;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.store.Capability;
import dev.semel.store.Cleanup;
import dev.semel.store.Commit;
import dev.semel.store.Document;
import dev.semel.store.DocumentWrite;
import dev.semel.store.Expected;
import dev.semel.store.FurtherKey;
import dev.semel.store.Housekeeping;
import dev.semel.store.IfAbandoned;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.Response;
import dev.semel.store.SweepStep;
import dev.semel.store.Sweeper;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What is past its time goes, little by little, and nothing else does. */
public interface SweepContract extends StoreFixture {

    /** Sweeps, and tells how much has gone. */
    private Map<String, Long> sweep() {
        needs(Capability.HOUSEKEEPING);
        Map<String, Long> gone = new HashMap<>();
        new Sweeper(store(), time(), List.of(), cleanups -> {})
                .sweep()
                .forEach(cleanup -> gone.merge(cleanup.table(), cleanup.deleted(), Long::sum));
        return gone;
    }

    @Test
    default void expiredKey_leavesATombstone_andIsForgottenLater() {
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            run(mode, call, "a long answer");
            time().advance(SETTINGS.retention().minusMillis(1));
            assertThat(sweep()).containsEntry(Housekeeping.KEYS, 0L);
            assertThat(run(mode, call, "must not run")).isInstanceOf(Outcome.Replayed.class);

            time().advance(Duration.ofMillis(1));
            OnceRecord before = Objects.requireNonNull(stored(call));
            assertThat(sweep()).containsEntry(Housekeeping.KEYS, 1L).containsEntry(Housekeeping.TOMBSTONES, 0L);
            assertThat(stored(call)).isEqualTo(before.with(OnceStatus.COMPLETED, null));
            assertThat(sweep()).containsEntry(Housekeeping.KEYS, 0L);

            time().advance(SETTINGS.tombstone().minusMillis(1));
            sweep();
            assertThat(stored(call)).isNotNull();
            time().advance(Duration.ofMillis(1));
            assertThat(sweep()).containsEntry(Housekeeping.KEYS, 0L).containsEntry(Housekeeping.TOMBSTONES, 1L);
            assertThat(stored(call)).isNull();
        }
    }

    @Test
    default void tombstone_isANewKey_unlessItIsRefused() {
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            run(mode, call, "first");
            OnceRecord first = Objects.requireNonNull(stored(call));
            time().advance(SETTINGS.retention());
            var refusing = newOnce(store(), SETTINGS.withIfExpired(IfExpired.REFUSE), OnceListener.NONE);
            Outcome refused = new Outcome.Expired(first.createdAt(), Objects.requireNonNull(first.deadline()));
            assertThat(run(refusing, mode, call, () -> Response.of("must not run")))
                    .isEqualTo(refused);
            sweep();
            assertThat(run(refusing, mode, call, () -> Response.of("must not run")))
                    .isEqualTo(refused);
            assertThat(run(refusing, mode, call(call.key().key(), "{}"), () -> Response.of("must not run")))
                    .isEqualTo(refused);
            Outcome second = run(mode, call, "second");
            assertThat(((Outcome.Executed) second).attempt()).isEqualTo(1);
            assertThat(run(refusing, mode, call, () -> Response.of("must not run")))
                    .isInstanceOf(Outcome.Replayed.class);
        }
    }

    @Test
    default void clockThatIsSetBack_makesNoAnswerOfATombstone() {
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            run(mode, call, "first");
            Instant then = time().instant();
            time().advance(SETTINGS.retention());
            sweep();
            time().setClock(then);
            assertThat(run(mode, call, "second")).isInstanceOf(Outcome.Executed.class);
        }
    }

    @Test
    default void keyThatIsForgottenAtOnce_staysAsLongAsItCounts() {
        needs(Capability.HOUSEKEEPING);
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
        assertThat(sweep()).containsEntry(Housekeeping.KEYS, 1L);
        assertThat(sweep()).containsEntry(Housekeeping.KEYS, 0L);
    }

    @Test
    default void failure_isForgottenAfterItsTime() {
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            run(newOnce(), mode, call, () -> {
                throw new IllegalStateException("failed");
            });
            time().advance(SETTINGS.failedRetention());
            sweep();
            assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(OnceStatus.FAILED);
            time().advance(SETTINGS.tombstone());
            sweep();
            assertThat(stored(call)).isNull();
        }
    }

    @Test
    default void abandonedKey_thatMayBeRunAgain_goesWhenAnAnswerWould() {
        Call call = call("k");
        claimAndVanish(call, IfAbandoned.RERUN);
        time().advance(SETTINGS.lease());
        assertThat(sweep()).containsEntry(Housekeeping.KEYS, 0L);
        assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(OnceStatus.PROCESSING);
        time().advance(SETTINGS.tombstone());
        assertThat(sweep()).containsEntry(Housekeeping.KEYS, 1L);
        assertThat(stored(call)).isNull();
    }

    @Test
    default void abandonedKey_thatMustNotBeRunAgain_becomesUnknown_andStays() {
        Call call = call("k");
        OnceRecord claim = claimAndVanish(call, IfAbandoned.FREEZE);
        time().advance(SETTINGS.lease().minusMillis(1));
        sweep();
        assertThat(stored(call)).isEqualTo(claim);
        time().advance(Duration.ofMillis(1));
        assertThat(sweep()).containsEntry(Housekeeping.KEYS, 0L);
        OnceRecord unknown = Objects.requireNonNull(stored(call));
        assertThat(unknown.status()).isEqualTo(OnceStatus.UNKNOWN);
        assertThat(unknown.deadline()).isNull();
        assertThat(unknown.forgottenAt()).isNull();
        assertThat(unknown.fence()).isEqualTo(claim.fence());
        time().advance(Duration.ofDays(1000));
        sweep();
        assertThat(stored(call)).isEqualTo(unknown);
        assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.Unknown.class);
    }

    @Test
    default void unknownKey_stays() {
        Call call = call("k");
        write(call, Expected.ABSENT, OnceStatus.UNKNOWN, null, null);
        time().advance(Duration.ofDays(1000));
        sweep();
        assertThat(stored(call)).isNotNull();
    }

    @Test
    default void expiredDocuments_goWithTheirFurtherKeys() {
        needs(Capability.COMMIT, Capability.SCAN);
        Instant end = time().instant().plusSeconds(60);
        for (String key : List.of("goes", "stays")) {
            Document made = document(key, 1, "{}");
            Document document = new Document(
                    made.id(),
                    1,
                    made.createdAt(),
                    made.updatedAt(),
                    key.equals("goes") ? end : null,
                    Json.of("{}"),
                    made.writtenBy());
            DocumentWrite put = StoreFixture.put(document, new FurtherKey("by-name", key), FurtherKey.placed(""));
            store().commit(new Commit(transactions().newAttempt(), null, Map.of(), List.of(put)));
        }
        time().advance(Duration.ofSeconds(59));
        assertThat(sweep()).containsEntry(Housekeeping.DOCUMENTS, 0L);
        time().advance(Duration.ofSeconds(1));
        assertThat(sweep()).containsEntry(Housekeeping.DOCUMENTS, 1L);
        assertThat(sweep()).containsEntry(Housekeeping.DOCUMENTS, 0L);
        assertThat(store().read(id("stays"))).isPresent();
        time().setClock(end.minusSeconds(1)); // it is gone, and not just hidden
        assertThat(store().read(id("goes"))).isEmpty();
    }

    @Test
    default void whatWasSwept_isLogged_theLatestFirst() {
        needs(Capability.HOUSEKEEPING);
        Instant first = time().instant();
        store().housekeeping().log(List.of(new Cleanup("posts", 3, first)));
        run(Mode.LEASED, call("k"), "done");
        time().advance(SETTINGS.retention());
        sweep();
        List<Cleanup> logged = store().housekeeping().cleanups(100);
        assertThat(logged.get(logged.size() - 1)).isEqualTo(new Cleanup("posts", 3, first));
        assertThat(logged).contains(new Cleanup(Housekeeping.KEYS, 1, time().instant()));
        assertThat(store().housekeeping().cleanups(1)).hasSize(1);
        assertThat(store().housekeeping().cleanups(1).get(0).time()).isEqualTo(time().instant());
    }

    @Test
    default void sweepThatBreaksOff_isLoggedAsFarAsItCame() {
        needs(Capability.HOUSEKEEPING);
        run(Mode.LEASED, call("k"), "done");
        time().advance(SETTINGS.retention());
        Sweeper.Task broken = new Sweeper.Task("posts", () -> {
            throw new IllegalStateException("broken");
        });
        assertThatThrownBy(() -> new Sweeper(store(), time(), List.of(broken), cleanups -> {}).sweep())
                .hasMessage("broken");
        assertThat(store().housekeeping().cleanups(100)).contains(new Cleanup(Housekeeping.KEYS, 1, time().instant()));
    }

    @Test
    default void otherTasks_areDoneUntilTheyHaveNoMore() {
        needs(Capability.HOUSEKEEPING);
        AtomicInteger left = new AtomicInteger(250);
        List<Cleanup> heard = new ArrayList<>();
        Sweeper.Task task = new Sweeper.Task("posts", () -> {
            long some = Math.min(100, left.get());
            left.addAndGet((int) -some);
            return some;
        });
        try (Sweeper sweeper = new Sweeper(store(), time(), List.of(task), heard::addAll)) {
            store().housekeeping().log(List.of(new Cleanup("posts", 0, time().instant())));
            time().advance(Duration.ofHours(1));
            sweeper.every(Duration.ofHours(6), e -> {});
            time().advance(Duration.ofHours(5).minusMillis(1));
            assertThat(heard).isEmpty();
            time().advance(Duration.ofMinutes(30).plusMillis(1));
            assertThat(heard).extracting(Cleanup::table, Cleanup::deleted).contains(tuple("posts", 250L));
            heard.clear();
            time().advance(Duration.ofMinutes(6 * 66));
            assertThat(heard).extracting(Cleanup::table, Cleanup::deleted).contains(tuple("posts", 0L));
        }
        heard.clear();
        time().advance(Duration.ofHours(60));
        assertThat(heard).isEmpty();
    }

    @Test
    default void sweepsBesideRetries_removeNothingLive_andResurrectNothing() throws Exception {
        needs(Capability.HOUSEKEEPING);
        sweepBesideRetries("stripped", SETTINGS);
    }

    @Test
    default void sweepsBesideRetries_removeNothingLive_whereNothingIsLeftOfAKey() throws Exception {
        needs(Capability.HOUSEKEEPING);
        sweepBesideRetries("forgotten", SETTINGS.withTombstone(Duration.ZERO));
    }

    /** All keys are past their time, and each runs once more while two sweep; and so again. */
    private void sweepBesideRetries(String prefix, OnceSettings settings) throws Exception {
        int keys = 40;
        AtomicInteger[] runs = new AtomicInteger[keys];
        for (int i = 0; i < keys; i++) {
            runs[i] = new AtomicInteger();
            run(newOnce(store(), settings, OnceListener.NONE), modeOf(i), call(prefix + i), () -> Response.of("0"));
        }
        for (int round = 1; round <= 5; round++) {
            time().advance(settings.retention());
            String answer = String.valueOf(round);
            AtomicBoolean done = new AtomicBoolean();
            CountDownLatch someHaveGone = new CountDownLatch(1);
            ExecutorService threads = Executors.newFixedThreadPool(5);
            try {
                List<Future<?>> sweeps = new ArrayList<>();
                List<Future<?>> retries = new ArrayList<>();
                for (int sweeper = 0; sweeper < 2; sweeper++) {
                    sweeps.add(threads.submit(() -> sweepUntil(done, someHaveGone)));
                }
                assertThat(someHaveGone.await(60, TimeUnit.SECONDS)).isTrue();
                for (int caller = 0; caller < 3; caller++) {
                    retries.add(threads.submit(() -> {
                        for (int i = 0; i < keys; i++) {
                            AtomicInteger runsOfKey = runs[i];
                            run(newOnce(store(), settings, OnceListener.NONE), modeOf(i), call(prefix + i), () -> {
                                runsOfKey.incrementAndGet();
                                return Response.of(answer);
                            });
                        }
                    }));
                }
                for (Future<?> each : retries) {
                    each.get();
                }
                done.set(true);
                for (Future<?> each : sweeps) {
                    each.get();
                }
            } finally {
                done.set(true);
                threads.shutdownNow();
            }
            for (int i = 0; i < keys; i++) {
                OnceRecord record = Objects.requireNonNull(stored(call(prefix + i)));
                assertThat(Objects.requireNonNull(record.response()).text()).isEqualTo(answer);
            }
        }
        for (int i = 0; i < keys; i++) {
            if (modeOf(i) == Mode.LEASED) { // an atomic one may run twice, and be undone
                assertThat(runs[i]).hasValue(5);
            }
        }
    }

    private Mode modeOf(int i) {
        return modes().get(i % modes().size());
    }

    private void sweepUntil(AtomicBoolean done, CountDownLatch someHaveGone) {
        String from = "";
        while (!done.get()) {
            SweepStep step = store().housekeeping().sweep(from);
            if (step.deleted().values().stream().anyMatch(count -> count > 0)) {
                someHaveGone.countDown();
            }
            from = step.next().orElse("");
        }
    }
}
