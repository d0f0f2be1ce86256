package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static dev.semel.testkit.StoreFixture.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.once.Call;
import dev.semel.once.IfExpired;
import dev.semel.once.OnceListener;
import dev.semel.once.Outcome;
import dev.semel.store.Capability;
import dev.semel.store.Cleanup;
import dev.semel.store.Commit;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.DocumentWrite;
import dev.semel.store.Expected;
import dev.semel.store.FurtherKey;
import dev.semel.store.Housekeeping;
import dev.semel.store.IfAbandoned;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.Response;
import dev.semel.store.Scan;
import dev.semel.store.Sweeper;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What is past its time goes, little by little, and nothing else does. */
public interface SweepContract extends StoreFixture {

    /** Sweeps, and tells how much has gone. */
    private Map<String, Long> sweep() {
        needs(Capability.HOUSEKEEPING);
        Map<String, Long> gone = new HashMap<>();
        new Sweeper(store(), time())
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
    default void keyThatLeavesNoTombstone_countsOnce() {
        var forgetful = newOnce(store(), SETTINGS.withTombstone(Duration.ZERO), OnceListener.NONE);
        for (Mode mode : modes()) {
            run(forgetful, mode, call("k-" + mode), () -> Response.of("a long answer"));
            time().advance(SETTINGS.retention());
            assertThat(sweep()).containsEntry(Housekeeping.KEYS, 0L).containsEntry(Housekeeping.TOMBSTONES, 1L);
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
        commit(Map.of(), document("goes", 1, "{}")); // a further key that was left would lead to it
        DocumentId any = id("any");
        for (String name : List.of("by-name", FurtherKey.IN_ORDER)) {
            Scan scan = new Scan(any.collection(), any.owner(), name, KeyRange.ofPrefix(""), "", 10);
            assertThat(store().scan(scan)).extracting(Document::key).as(name).containsExactly("stays");
        }
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
        List<Cleanup> paged = new ArrayList<>();
        List<Cleanup> page = store().housekeeping().cleanups(2);
        while (!page.isEmpty()) {
            paged.addAll(page);
            page = store().housekeeping().cleanups(page.get(page.size() - 1), 2);
        }
        assertThat(paged).isEqualTo(logged);
    }

    @Test
    default void sweepThatBreaksOff_isLoggedAsFarAsItCame() {
        needs(Capability.HOUSEKEEPING);
        run(Mode.LEASED, call("k"), "done");
        time().advance(SETTINGS.retention());
        Sweeper.Task broken = new Sweeper.Task("posts", () -> {
            throw new IllegalStateException("broken");
        });
        assertThatThrownBy(() -> new Sweeper(store(), time(), List.of(broken), (cleanups, complete) -> {}).sweep())
                .hasMessage("broken");
        assertThat(store().housekeeping().cleanups(100)).contains(new Cleanup(Housekeeping.KEYS, 1, time().instant()));
    }

    /** As when a server is stopped amid a sweep, and started again. */
    @Test
    default void sweepThatWasCutOff_isBroughtToItsEndSoonAfterTheNextStart() {
        needs(Capability.HOUSEKEEPING);
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
        Sweeper stopped = new Sweeper(store(), time(), List.of(), listener);
        time().after(Duration.ZERO, stopped::close); // comes with its first rest
        stopped.sweep();
        try (Sweeper next = new Sweeper(store(), time(), List.of(), listener)) {
            next.every(Duration.ofHours(6), e -> {});
            time().advance(Duration.ofMinutes(2));
        }
        assertThat(completed).containsExactly(false, true);
        assertThat(swept.stream()
                        .filter(cleanup -> cleanup.table().equals(Housekeeping.KEYS))
                        .mapToLong(Cleanup::deleted)
                        .sum())
                .isEqualTo(keys);
        assertThat(store().housekeeping().cleanups(100)).containsExactlyInAnyOrderElementsOf(swept);
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
        try (Sweeper sweeper =
                new Sweeper(store(), time(), List.of(task), (cleanups, complete) -> heard.addAll(cleanups))) {
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
