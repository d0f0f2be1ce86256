package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static dev.semel.testkit.StoreFixture.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Json;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.Outcome;
import dev.semel.store.Capability;
import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.Document;
import dev.semel.store.Expected;
import dev.semel.store.IfAbandoned;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.Response;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Who may begin: one at a time, and an atomic operation leaves nothing behind until it is done. */
public interface ClaimContract extends StoreFixture {

    @Test
    default void atomicOperation_whileItRuns_hasNoRecord_andAfterwardsAllOfIt() {
        needs(Capability.COMMIT);
        Call call = call("k");
        Outcome outcome = newOnce().atomic(call, tx -> {
            tx.expectAbsent(id("a"));
            tx.put(document("a", 1, "1"), List.of());
            assertThat(stored(call)).isNull();
            assertThat(store().read(id("a"))).isEmpty();
            return Response.of("done");
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(store().read(id("a"))).map(Document::data).contains(Json.of("1"));
        assertThat(stored(call)).isNotNull().extracting(OnceRecord::ifAbandoned).isNull();
    }

    @Test
    default void leasedOperation_whileItRuns_hasItsRecord() {
        Call call = call("k").withClientTxId("tx-7");
        newOnce().leased(call, IfAbandoned.FREEZE, lease -> {
            OnceRecord record = Objects.requireNonNull(stored(call));
            assertThat(record.status()).isEqualTo(OnceStatus.PROCESSING);
            assertThat(record.fence()).isEqualTo(lease.fence());
            assertThat(record.ifAbandoned()).isEqualTo(IfAbandoned.FREEZE);
            assertThat(record.clientTxId()).isEqualTo("tx-7");
            assertThat(record.deadline()).isEqualTo(time().instant().plus(SETTINGS.lease()));
            return Response.of("done");
        });
        assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(OnceStatus.COMPLETED);
    }

    @Test
    default void record_keepsWhenItsKeyWasFirstSeen_throughAllThatFollows() {
        Call call = call("k");
        run(newOnce(), Mode.LEASED, call, () -> {
            time().advance(Duration.ofSeconds(50));
            throw new IllegalStateException("first");
        });
        Instant seen = time().instant().minusSeconds(50);
        assertThat(Objects.requireNonNull(stored(call)).createdAt()).isEqualTo(seen);
        run(Mode.LEASED, call, "second");
        OnceRecord record = Objects.requireNonNull(stored(call));
        assertThat(record.createdAt()).isEqualTo(seen);
        assertThat(record.clientTxId()).isEqualTo(call.clientTxId());
    }

    @Test
    default void twoServersWithTheSameAtomicKey_haveOneEffectAndOneAnswer() {
        needs(Capability.COMMIT);
        Call call = call("k");
        Once here = newOnce();
        Once there = newOnce();
        Outcome first = here.atomic(call, tx -> {
            // the other server gets the same call, and is quicker
            Outcome second = there.atomic(call, other -> {
                other.expectAbsent(id("there"));
                other.put(document("there", 1, "1"), List.of());
                return Response.of("there");
            });
            assertThat(second).isInstanceOf(Outcome.Executed.class);
            tx.expectAbsent(id("here"));
            tx.put(document("here", 1, "1"), List.of());
            return Response.of("here");
        });
        assertThat(first).isInstanceOf(Outcome.Replayed.class);
        assertThat(((Outcome.Replayed) first).response()).isEqualTo(Response.of("there"));
        assertThat(store().read(id("here"))).isEmpty();
        assertThat(store().read(id("there"))).isPresent();
    }

    @Test
    default void twoServersWithTheSameLeasedKey_runItOnce() {
        Call call = call("k");
        Once there = newOnce();
        Outcome first = newOnce().leased(call, IfAbandoned.RERUN, lease -> {
            assertThat(there.leased(call, IfAbandoned.RERUN, other -> Response.of("there")))
                    .isInstanceOf(Outcome.InProgress.class);
            return Response.of("here");
        });
        assertThat(first).isInstanceOf(Outcome.Executed.class);
        assertThat(there.leased(call, IfAbandoned.RERUN, other -> Response.of("there")))
                .isInstanceOf(Outcome.Replayed.class);
    }

    @Test
    default void claim_ofWhatAnotherHasClaimedMeanwhile_isRefused() {
        Call call = call("k");
        OnceRecord abandoned = claimAndVanish(call, IfAbandoned.RERUN);
        time().advance(SETTINGS.lease());
        Expected asSeen = Expected.asSeen(abandoned);
        write(call, asSeen, OnceStatus.PROCESSING, IfAbandoned.RERUN, null);
        assertThat(store().commit(Commit.of(
                        "late", onceWrite(call, asSeen, 0, OnceStatus.PROCESSING, IfAbandoned.RERUN, null))))
                .isEqualTo(new CommitResult.OnceChanged());
    }

    @Test
    default void claim_ofALeaseThatWasExtendedMeanwhile_isRefused() {
        Call call = call("k");
        OnceRecord slow = claimAndVanish(call, IfAbandoned.RERUN);
        time().advance(SETTINGS.lease());
        store().commit(Commit.of(
                "heartbeat",
                onceWrite(
                        call,
                        Expected.ownedBy(slow.fence()),
                        slow.fence(),
                        OnceStatus.PROCESSING,
                        IfAbandoned.RERUN,
                        null)));
        assertThat(store().commit(Commit.of(
                        "take-over",
                        onceWrite(call, Expected.asSeen(slow), 0, OnceStatus.PROCESSING, IfAbandoned.RERUN, null))))
                .isEqualTo(new CommitResult.OnceChanged());
    }
}
