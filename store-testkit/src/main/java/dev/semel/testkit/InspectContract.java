package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.json.Fingerprint;
import dev.semel.once.Call;
import dev.semel.once.Intervention;
import dev.semel.once.Once;
import dev.semel.once.Outcome;
import dev.semel.store.Capability;
import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.DocumentWrite;
import dev.semel.store.Expected;
import dev.semel.store.Housekeeping;
import dev.semel.store.IfAbandoned;
import dev.semel.store.KeyPage;
import dev.semel.store.KeyQuery;
import dev.semel.store.KeyState;
import dev.semel.store.OnceKey;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.OnceWrite;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Operators find keys, and decide about them. */
public interface InspectContract extends StoreFixture {

    private static Call call(String user, String endpoint, String key, String clientTxId) {
        return new Call(new OnceKey(user, endpoint, key), Fingerprint.ofJson("1"), clientTxId, Duration.ZERO);
    }

    private void put(String user, String endpoint, String key, OnceStatus status) {
        write(
                call(user, endpoint, key, "tx-" + key),
                Expected.ABSENT,
                status,
                status == OnceStatus.PROCESSING ? IfAbandoned.FREEZE : null,
                status == OnceStatus.COMPLETED ? Response.of("a secret") : null);
    }

    /** All keys that a query asks for, page by page. */
    private List<String> list(KeyQuery query) {
        List<String> found = new ArrayList<>();
        Optional<String> after = Optional.ofNullable(query.after());
        do {
            KeyPage page = store().housekeeping().list(query.after(after.orElse(null)));
            assertThat(page.records()).hasSizeLessThanOrEqualTo(query.limit());
            assertThat(page.now()).isEqualTo(time().instant());
            page.records().forEach(record -> {
                assertThat(record.response() == null || record.response().size() == 0)
                        .isTrue();
                if (query.state() != null) {
                    assertThat(record.stateAt(page.now())).isEqualTo(query.state());
                }
                found.add(record.key().user() + " " + record.key().key());
            });
            after = page.next();
        } while (after.isPresent());
        return found;
    }

    @Test
    default void keys_areFoundByWhatIsKnownOfThem() {
        needs(Capability.HOUSEKEEPING);
        put("ann", "POST /a", "one", OnceStatus.COMPLETED);
        put("ann", "POST /b", "two", OnceStatus.FAILED);
        put("bob", "POST /a", "one", OnceStatus.UNKNOWN);
        Instant later = time().instant().plusSeconds(1);
        time().advance(Duration.ofSeconds(1));
        put("ann", "POST /a", "onward", OnceStatus.COMPLETED);
        put("cid", "POST /a", "three", OnceStatus.PROCESSING);
        put("ann-2", "POST /a", "one", OnceStatus.COMPLETED);

        for (KeyQuery all : List.of(KeyQuery.all(1), KeyQuery.all(100))) {
            assertThat(list(all))
                    .containsExactlyInAnyOrder("ann one", "ann two", "ann onward", "ann-2 one", "bob one", "cid three");
            assertThat(list(all.ofUser("ann"))).containsExactlyInAnyOrder("ann one", "ann two", "ann onward");
            assertThat(list(all.ofUser("an"))).isEmpty();
            assertThat(list(all.ofEndpoint("POST /b"))).containsExactly("ann two");
            assertThat(list(all.ofUser("ann").ofEndpoint("POST /a")))
                    .containsExactlyInAnyOrder("ann one", "ann onward");
            assertThat(list(all.beginningWith("on")))
                    .containsExactlyInAnyOrder("ann one", "ann onward", "ann-2 one", "bob one");
            assertThat(list(all.ofUser("ann").beginningWith("onw"))).containsExactly("ann onward");
            assertThat(list(all.ofUser("ann").ofEndpoint("POST /a").beginningWith("onw")))
                    .containsExactly("ann onward");
            assertThat(list(all.ofUser("ann")
                            .ofEndpoint("POST /b")
                            .beginningWith("t")
                            .in(KeyState.FAILED)))
                    .containsExactly("ann two");
            assertThat(list(all.ofUser("ann").ofEndpoint("POST /b").beginningWith("o")))
                    .isEmpty();
            assertThat(list(all.beginningWith("o_e"))).isEmpty();
            assertThat(list(all.beginningWith("o%"))).isEmpty();
            assertThat(list(all.ofUser("ann").ofClientTx("tx-two"))).containsExactly("ann two");
            assertThat(list(all.ofUser("bob").ofClientTx("tx-two"))).isEmpty();
            assertThat(list(all.ofClientTx("tx-one"))).containsExactlyInAnyOrder("ann one", "ann-2 one", "bob one");
            assertThat(list(all.createdBefore(later))).containsExactlyInAnyOrder("ann one", "ann two", "bob one");
            assertThat(list(all.ofUser("ann").createdBefore(later))).containsExactlyInAnyOrder("ann one", "ann two");
            assertThat(list(all.in(KeyState.FAILED))).containsExactly("ann two");
            assertThat(list(all.in(KeyState.UNKNOWN))).containsExactly("bob one");
            assertThat(list(all.in(KeyState.PROCESSING))).containsExactly("cid three");
            assertThat(list(all.in(KeyState.PROCESSING).ofUser("bob"))).isEmpty();
            assertThat(list(all.in(KeyState.COMPLETED)))
                    .containsExactlyInAnyOrder("ann one", "ann onward", "ann-2 one");
            assertThat(list(all.ofUser("ann").in(KeyState.COMPLETED).ofClientTx("tx-one")))
                    .containsExactly("ann one");
            assertThat(list(all.in(KeyState.EXPIRED))).isEmpty();
            assertThat(list(all.ofEndpoint("POST /a").beginningWith("on")))
                    .containsExactlyInAnyOrder("ann one", "ann onward", "ann-2 one", "bob one");
            assertThat(list(all.ofEndpoint("POST /c"))).isEmpty();
            assertThat(list(all.ofEndpoint("POST /"))).isEmpty();
            assertThat(list(all.beginningWith("t"))).containsExactlyInAnyOrder("ann two", "cid three");
            assertThat(list(all.beginningWith("a"))).isEmpty();
            assertThat(list(all.beginningWith(""))).hasSize(6);
            assertThat(list(all.ofEndpoint("POST /a").in(KeyState.UNKNOWN))).containsExactly("bob one");
            assertThat(list(all.beginningWith("tw").in(KeyState.FAILED))).containsExactly("ann two");
            assertThat(list(all.ofEndpoint("POST /a").createdBefore(later)))
                    .containsExactlyInAnyOrder("ann one", "bob one");
            assertThat(list(all.beginningWith("on").createdBefore(later)))
                    .containsExactlyInAnyOrder("ann one", "bob one");
            assertThat(list(all.ofEndpoint("POST /a").ofClientTx("tx-one")))
                    .containsExactlyInAnyOrder("ann one", "ann-2 one", "bob one");
        }

        KeyQuery all = KeyQuery.all(100);
        time().advance(SETTINGS.failedRetention());
        assertThat(list(all.in(KeyState.EXPIRED)))
                .containsExactlyInAnyOrder("ann one", "ann two", "ann onward", "ann-2 one");
        assertThat(list(all.in(KeyState.FAILED))).isEmpty();
        assertThat(list(all.in(KeyState.UNKNOWN)))
                .containsExactlyInAnyOrder("bob one", "cid three"); // its owner has vanished
    }

    @Test
    default void stateOfAKey_isFoundAsItIsNow() {
        needs(Capability.HOUSEKEEPING);
        for (Mode mode : modes()) {
            Call call = StoreFixture.call("k-" + mode);
            KeyQuery failed = KeyQuery.all(10).ofUser("ann").in(KeyState.FAILED);
            run(newOnce(), mode, call, () -> {
                throw new IllegalStateException("first");
            });
            assertThat(list(failed)).containsExactly("ann " + call.key().key());
            run(mode, call, "second");
            assertThat(list(failed)).isEmpty();
            assertThat(list(KeyQuery.all(10).in(KeyState.PROCESSING))).isEmpty();
        }
    }

    @Test
    default void keyThatIsBegunAnew_isFoundByItsNewTransactionAlone() {
        needs(Capability.HOUSEKEEPING);
        for (Mode mode : modes()) {
            String key = "k-" + mode;
            run(mode, call("ann", "POST /a", key, "old-" + mode), "first");
            time().advance(SETTINGS.retention());
            assertThat(list(KeyQuery.all(10).ofUser("ann").ofClientTx("old-" + mode)))
                    .containsExactly("ann " + key);
            run(mode, call("ann", "POST /a", key, "new-" + mode), "second");
            assertThat(list(KeyQuery.all(10).ofUser("ann").ofClientTx("old-" + mode)))
                    .isEmpty();
            assertThat(list(KeyQuery.all(10).ofUser("ann").ofClientTx("new-" + mode)))
                    .containsExactly("ann " + key);
        }
    }

    @Test
    default void pages_holdEachKeyOnce_ofOneUserAfterAnother() {
        needs(Capability.HOUSEKEEPING);
        List<String> all = new ArrayList<>();
        for (String user : List.of("bob", "ann", "cid")) {
            for (int i = 0; i < 7; i++) {
                put(user, "POST /" + i % 3, "k" + i, i % 2 == 0 ? OnceStatus.COMPLETED : OnceStatus.FAILED);
                all.add(user + " k" + i);
            }
        }
        for (int limit : List.of(1, 2, 5, 21, 22)) {
            List<String> listed = list(KeyQuery.all(limit));
            assertThat(listed).containsExactlyInAnyOrderElementsOf(all);
            assertThat(listed.stream()
                            .map(line -> line.substring(0, 3))
                            .distinct()
                            .toList())
                    .containsExactly("ann", "bob", "cid");
            assertThat(list(KeyQuery.all(limit).in(KeyState.FAILED))).hasSize(9);
            assertThat(list(KeyQuery.all(limit).ofUser("bob"))).hasSize(7);
        }
        assertThatThrownBy(() -> store().housekeeping().list(KeyQuery.all(1).after("nonsense")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    default void erasedUser_hasNoKeys_andOthersHaveTheirs() {
        needs(Capability.HOUSEKEEPING);
        for (OnceStatus status : OnceStatus.values()) {
            put("ann", "POST /a", status.name(), status);
            put("ann-2", "POST /a", status.name(), status);
        }
        put("ann", "POST /a", "tombstone", OnceStatus.COMPLETED);
        boolean documents = store().capabilities().contains(Capability.COMMIT);
        if (documents) {
            putDocument("ann");
            putDocument("bob");
        }
        assertThat(store().housekeeping().erase("ann", false)).containsEntry(Housekeeping.KEYS, 5L);
        assertThat(list(KeyQuery.all(100).ofUser("ann"))).isEmpty();
        assertThat(list(KeyQuery.all(100).ofUser("ann").in(KeyState.FAILED))).isEmpty();
        assertThat(list(KeyQuery.all(100).ofUser("ann").ofClientTx("tx-FAILED")))
                .isEmpty();
        assertThat(list(KeyQuery.all(100))).hasSize(4);
        assertThat(run(Mode.LEASED, call("ann", "POST /a", "COMPLETED", "tx"), "again"))
                .isInstanceOf(Outcome.Executed.class);
        if (documents) {
            assertThat(store().read(new DocumentId("things", "ann", "d"))).isPresent();
            assertThat(store().housekeeping().erase("ann", true))
                    .containsEntry(Housekeeping.KEYS, 1L)
                    .containsEntry(Housekeeping.DOCUMENTS, 1L);
            assertThat(store().read(new DocumentId("things", "ann", "d"))).isEmpty();
            assertThat(store().read(new DocumentId("things", "bob", "d"))).isPresent();
        }
        assertThat(store().housekeeping().erase("nobody", true)).containsEntry(Housekeeping.KEYS, 0L);
    }

    private void putDocument(String owner) {
        Instant now = time().instant();
        DocumentId id = new DocumentId("things", owner, "d");
        Document document = new Document(id, 1, now, now, null, dev.semel.json.Json.of("{}"), "writer");
        store().commit(new Commit(
                transactions().newAttempt(), null, Map.of(), List.of(new DocumentWrite.Put(document, List.of()))));
    }

    /** How a key stands. */
    enum Stands {
        NOTHING,
        RUNNING,
        ABANDONED,
        TO_FREEZE,
        UNKNOWN,
        COMPLETED,
        FAILED,
        EXPIRED
    }

    private Call keyThat(Stands stands, String name) {
        Call call = StoreFixture.call(name);
        switch (stands) {
            case NOTHING -> {}
            case RUNNING -> claimAndVanish(call, IfAbandoned.RERUN);
            case ABANDONED, TO_FREEZE -> {
                claimAndVanish(call, stands == Stands.ABANDONED ? IfAbandoned.RERUN : IfAbandoned.FREEZE);
                time().advance(SETTINGS.lease());
            }
            case UNKNOWN -> write(call, Expected.ABSENT, OnceStatus.UNKNOWN, null, null);
            case FAILED -> write(call, Expected.ABSENT, OnceStatus.FAILED, null, null);
            case COMPLETED -> write(call, Expected.ABSENT, OnceStatus.COMPLETED, null, Response.of("first"));
            case EXPIRED -> {
                write(call, Expected.ABSENT, OnceStatus.COMPLETED, null, Response.of("first"));
                time().advance(SETTINGS.retention());
            }
        }
        return call;
    }

    /** What an intervention leaves; null if it cannot be done. */
    private @Nullable OnceRecord intervene(Intervention intervention, Call call) {
        OnceWrite write = intervention.on(store().find(call.key(), Quota.NONE), SETTINGS, Response.of("by hand"));
        if (write == null) {
            return null;
        }
        CommitResult result = store().commit(Commit.of(transactions().newAttempt(), write));
        return Objects.requireNonNull(((CommitResult.Applied) result).once());
    }

    @Test
    default void interventions_doWhatTheySay_toEveryStateTheyMayBeDoneTo() {
        for (Stands stands : Stands.values()) {
            for (Intervention intervention : Intervention.values()) {
                boolean may = switch (intervention) {
                    case RELEASE ->
                        List.of(Stands.RUNNING, Stands.ABANDONED, Stands.TO_FREEZE, Stands.UNKNOWN)
                                .contains(stands);
                    case EXPIRE -> List.of(Stands.COMPLETED, Stands.FAILED).contains(stands);
                    case COMPLETE ->
                        List.of(Stands.ABANDONED, Stands.TO_FREEZE, Stands.UNKNOWN, Stands.FAILED)
                                .contains(stands);
                };
                Call call = keyThat(stands, stands + "-" + intervention);
                OnceRecord before = stored(call);
                OnceRecord after = intervene(intervention, call);
                assertThat(after != null).as(call.key().key()).isEqualTo(may);
                if (after == null) {
                    assertThat(stored(call)).isEqualTo(before);
                    continue;
                }
                Outcome retry = run(Mode.LEASED, call, "ran again");
                switch (intervention) {
                    case RELEASE ->
                        assertThat(((Outcome.Executed) retry).attempt()).isEqualTo(2);
                    case EXPIRE ->
                        assertThat(((Outcome.Executed) retry).attempt()).isEqualTo(1);
                    case COMPLETE ->
                        assertThat(((Outcome.Replayed) retry).response().text()).isEqualTo("by hand");
                }
            }
        }
    }

    @Test
    default void ownerWhoseKeyWasReleased_isRefused() {
        Call call = StoreFixture.call("k");
        Outcome late = newOnce().leased(call, IfAbandoned.FREEZE, lease -> {
            intervene(Intervention.RELEASE, call);
            assertThat(run(Mode.LEASED, call, "the second").getClass()).isNotEqualTo(Outcome.Replayed.class);
            return Response.of("the first");
        });
        assertThat(late).isNotInstanceOf(Outcome.Executed.class);
        assertThat(Objects.requireNonNull(Objects.requireNonNull(stored(call)).response())
                        .text())
                .isEqualTo("the second");
    }

    /** The owner hangs in the same process in which the next retry comes. */
    @Test
    default void ownerWhoHangs_isInNobodysWayOnceItsKeyWasReleasedOrErased() {
        needs(Capability.HOUSEKEEPING);
        Once once = newOnce();
        for (boolean erased : List.of(false, true)) {
            Call call = StoreFixture.call("hangs-" + erased);
            List<Object> seen = new ArrayList<>();
            once.leased(call, IfAbandoned.FREEZE, lease -> {
                seen.add(retryElsewhere(once, call).getClass());
                seen.add(lease.isHeld());
                if (erased) {
                    store().housekeeping().erase(call.key().user(), false);
                } else {
                    intervene(Intervention.RELEASE, call);
                }
                seen.add(retryElsewhere(once, call).getClass());
                seen.add(lease.isHeld());
                return Response.of("the first");
            });
            assertThat(seen).containsExactly(Outcome.InProgress.class, true, Outcome.Executed.class, false);
            assertThat(((Outcome.Replayed) run(once, Mode.LEASED, call, () -> Response.of("a third")))
                            .response()
                            .text())
                    .isEqualTo("the second");
        }
    }

    /** In a thread of its own, as another request would. */
    private Outcome retryElsewhere(Once once, Call call) {
        return CompletableFuture.supplyAsync(() -> run(once, Mode.LEASED, call, () -> Response.of("the second")))
                .join();
    }
}
