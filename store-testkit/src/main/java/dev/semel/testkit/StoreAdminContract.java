package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.json.Fingerprint;
import dev.semel.once.Call;
import dev.semel.once.Outcome;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.StoreAdmin.KeyPage;
import dev.semel.store.admin.StoreAdmin.KeyQuery;
import dev.semel.store.spi.IdempotencyRecord.KeyStatus;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Operators list keys and act on them. */
public interface StoreAdminContract extends AdminFixture {

    private static Call call(String user, String endpoint, String key, String clientTxId) {
        return new Call(new IdempotencyKey(user, endpoint, key), Fingerprint.ofJson("1"), clientTxId, Duration.ZERO);
    }

    private void put(String user, String endpoint, String key, Status status) {
        write(
                call(user, endpoint, key, "tx-" + key),
                Precondition.ABSENT,
                status,
                status == Status.PROCESSING ? IfAbandoned.FREEZE : null,
                status == Status.COMPLETED ? Response.of("a secret") : null);
    }

    /** Returns all keys that match a query, read in pages. */
    private List<String> list(KeyQuery query) {
        List<String> found = new ArrayList<>();
        Optional<String> after = Optional.ofNullable(query.after());
        do {
            KeyPage page = admin().list(query.after(after.orElse(null)));
            assertThat(page.records()).hasSizeLessThanOrEqualTo(query.limit());
            assertThat(page.now()).isEqualTo(time().instant());
            page.records().forEach(record -> {
                assertThat(record.response() == null || record.response().size() == 0)
                        .isTrue();
                if (query.state() != null) {
                    assertThat(record.statusAt(page.now())).isEqualTo(query.state());
                }
                found.add(record.key().user() + " " + record.key().key());
            });
            after = page.next();
        } while (after.isPresent());
        return found;
    }

    @Test
    default void keys_areFoundByEveryCombinationOfCriteria() {
        put("ann", "POST /a", "one", Status.COMPLETED);
        put("ann", "POST /b", "two", Status.FAILED);
        put("bob", "POST /a", "one", Status.UNKNOWN);
        Instant later = time().instant().plusSeconds(1);
        time().advance(Duration.ofSeconds(1));
        put("ann", "POST /a", "onward", Status.COMPLETED);
        put("cid", "POST /a", "three", Status.PROCESSING);
        put("ann-2", "POST /a", "one", Status.COMPLETED);

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
                            .in(KeyStatus.FAILED)))
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
            assertThat(list(all.in(KeyStatus.FAILED))).containsExactly("ann two");
            assertThat(list(all.in(KeyStatus.UNKNOWN))).containsExactly("bob one");
            assertThat(list(all.in(KeyStatus.PROCESSING))).containsExactly("cid three");
            assertThat(list(all.in(KeyStatus.PROCESSING).ofUser("bob"))).isEmpty();
            assertThat(list(all.in(KeyStatus.COMPLETED)))
                    .containsExactlyInAnyOrder("ann one", "ann onward", "ann-2 one");
            assertThat(list(all.ofUser("ann").in(KeyStatus.COMPLETED).ofClientTx("tx-one")))
                    .containsExactly("ann one");
            assertThat(list(all.in(KeyStatus.EXPIRED))).isEmpty();
            assertThat(list(all.ofEndpoint("POST /a").beginningWith("on")))
                    .containsExactlyInAnyOrder("ann one", "ann onward", "ann-2 one", "bob one");
            assertThat(list(all.ofEndpoint("POST /c"))).isEmpty();
            assertThat(list(all.ofEndpoint("POST /"))).isEmpty();
            assertThat(list(all.beginningWith("t"))).containsExactlyInAnyOrder("ann two", "cid three");
            assertThat(list(all.beginningWith("a"))).isEmpty();
            assertThat(list(all.beginningWith(""))).hasSize(6);
            assertThat(list(all.ofEndpoint("POST /a").in(KeyStatus.UNKNOWN))).containsExactly("bob one");
            assertThat(list(all.beginningWith("tw").in(KeyStatus.FAILED))).containsExactly("ann two");
            assertThat(list(all.ofEndpoint("POST /a").createdBefore(later)))
                    .containsExactlyInAnyOrder("ann one", "bob one");
            assertThat(list(all.beginningWith("on").createdBefore(later)))
                    .containsExactlyInAnyOrder("ann one", "bob one");
            assertThat(list(all.ofEndpoint("POST /a").ofClientTx("tx-one")))
                    .containsExactlyInAnyOrder("ann one", "ann-2 one", "bob one");
        }

        KeyQuery all = KeyQuery.all(100);
        time().advance(SETTINGS.failedRetention());
        assertThat(list(all.in(KeyStatus.EXPIRED)))
                .containsExactlyInAnyOrder("ann one", "ann two", "ann onward", "ann-2 one");
        assertThat(list(all.in(KeyStatus.FAILED))).isEmpty();
        assertThat(list(all.in(KeyStatus.UNKNOWN)))
                .containsExactlyInAnyOrder("bob one", "cid three"); // its owner has crashed
    }

    @ParameterizedTest
    @EnumSource
    default void keys_areFoundByTheirCurrentStatus(Mode mode) {
        Call call = StoreFixture.call("k");
        KeyQuery failed = KeyQuery.all(10).ofUser("ann").in(KeyStatus.FAILED);
        run(newOnce(), mode, call, () -> {
            throw new IllegalStateException("first");
        });
        assertThat(list(failed)).containsExactly("ann " + call.key().key());
        run(mode, call, "second");
        assertThat(list(failed)).isEmpty();
        assertThat(list(KeyQuery.all(10).in(KeyStatus.PROCESSING))).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    default void keyThatIsStartedAgain_isFoundByItsNewClientTxIdAlone(Mode mode) {
        String key = "k";
        run(mode, call("ann", "POST /a", key, "old"), "first");
        time().advance(SETTINGS.retention());
        assertThat(list(KeyQuery.all(10).ofUser("ann").ofClientTx("old"))).containsExactly("ann " + key);
        run(mode, call("ann", "POST /a", key, "new"), "second");
        assertThat(list(KeyQuery.all(10).ofUser("ann").ofClientTx("old"))).isEmpty();
        assertThat(list(KeyQuery.all(10).ofUser("ann").ofClientTx("new"))).containsExactly("ann " + key);
    }

    @Test
    default void pages_holdEachKeyOnce_orderedByUser() {
        List<String> all = new ArrayList<>();
        for (String user : List.of("bob", "ann", "cid")) {
            for (int i = 0; i < 7; i++) {
                put(user, "POST /" + i % 3, "k" + i, i % 2 == 0 ? Status.COMPLETED : Status.FAILED);
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
            assertThat(list(KeyQuery.all(limit).in(KeyStatus.FAILED))).hasSize(9);
            assertThat(list(KeyQuery.all(limit).ofUser("bob"))).hasSize(7);
        }
        assertThatThrownBy(() -> admin().list(KeyQuery.all(1).after("nonsense")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    default void userWithAnyName_isListedAndErased_andNoOther() {
        for (String user : USERS) {
            put(user, "POST /a", "one", Status.COMPLETED);
            put(user, "POST /a", "two", Status.FAILED);
        }
        for (int limit : new int[] {1, 3, 100}) {
            assertThat(list(KeyQuery.all(limit))).hasSize(2 * USERS.size()).doesNotHaveDuplicates();
            assertThat(list(KeyQuery.all(limit).in(KeyStatus.FAILED))).hasSize(USERS.size());
        }
        for (String user : USERS) {
            assertThat(list(KeyQuery.all(1).ofUser(user))).containsExactlyInAnyOrder(user + " one", user + " two");
            assertThat(list(KeyQuery.all(1).ofUser(user).ofClientTx("tx-two"))).containsExactly(user + " two");
        }
        for (int erased = 0; erased < USERS.size(); erased++) {
            assertThat(admin().erase(USERS.get(erased), true)).containsEntry(StoreAdmin.KEYS, 2L);
            assertThat(list(KeyQuery.all(100))).hasSize(2 * (USERS.size() - erased - 1));
        }
    }

    @Test
    default void erasedUser_hasNoKeys_andOthersHaveTheirs() {
        for (Status status : Status.values()) {
            put("ann", "POST /a", status.name(), status);
            put("ann-2", "POST /a", status.name(), status);
        }
        put("ann", "POST /a", "tombstone", Status.COMPLETED);
        assertThat(admin().erase("ann", false)).containsEntry(StoreAdmin.KEYS, 5L);
        assertThat(list(KeyQuery.all(100).ofUser("ann"))).isEmpty();
        assertThat(list(KeyQuery.all(100).ofUser("ann").in(KeyStatus.FAILED))).isEmpty();
        assertThat(list(KeyQuery.all(100).ofUser("ann").ofClientTx("tx-FAILED")))
                .isEmpty();
        assertThat(list(KeyQuery.all(100))).hasSize(4);
        assertThat(run(Mode.LEASED, call("ann", "POST /a", "COMPLETED", "tx"), "again"))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(admin().erase("nobody", true)).containsEntry(StoreAdmin.KEYS, 0L);
    }
}
