package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.Outcome;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.OnceStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** An operation runs once at a time, and has a record while it runs. A claim whose response is lost or late is released. */
public interface ClaimContract extends StoreFixture {

    @Test
    default void leasedOperation_whileItRuns_hasItsRecord() {
        Call call = call("k").withClientTxId("tx-7");
        newOnce().leased(call, IfAbandoned.FREEZE, lease -> {
            IdempotencyRecord record = Objects.requireNonNull(stored(call));
            assertThat(record.status()).isEqualTo(Status.PROCESSING);
            assertThat(record.fencingToken()).isEqualTo(lease.fencingToken());
            assertThat(record.ifAbandoned()).isEqualTo(IfAbandoned.FREEZE);
            assertThat(record.clientTxId()).isEqualTo("tx-7");
            assertThat(record.deadline()).isEqualTo(time().instant().plus(SETTINGS.lease()));
            return Response.of("done");
        });
        assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(Status.COMPLETED);
    }

    @Test
    default void record_keepsItsCreationTime_throughRetries() {
        Call call = call("k");
        run(newOnce(), Mode.LEASED, call, () -> {
            time().advance(Duration.ofSeconds(50));
            throw new IllegalStateException("first");
        });
        Instant seen = time().instant().minusSeconds(50);
        assertThat(Objects.requireNonNull(stored(call)).createdAt()).isEqualTo(seen);
        run(Mode.LEASED, call, "second");
        IdempotencyRecord record = Objects.requireNonNull(stored(call));
        assertThat(record.createdAt()).isEqualTo(seen);
        assertThat(record.clientTxId()).isEqualTo(call.clientTxId());
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
    default void lease_isCountedFromBeforeTheClaim() {
        FaultyStore slow = new FaultyStore(store());
        slow.beforeCommit(() -> time().advance(SETTINGS.lease().dividedBy(2)));
        newOnce(slow, SETTINGS, OnceListener.NONE).leased(call("k"), IfAbandoned.RERUN, lease -> {
            slow.beforeCommit(() -> {});
            slow.goDown();
            time().advance(SETTINGS.lease().dividedBy(2));
            assertThat(lease.isHeld()).isFalse();
            slow.comeUp();
            return Response.of("done");
        });
    }

    /** The caller cannot know that it holds the claim, so the operation does not run: the key is released instead of frozen. */
    @Test
    default void claimWhoseResponseStaysLost_isReleased() {
        for (IfAbandoned ifAbandoned : IfAbandoned.values()) {
            FaultyStore faulty = new FaultyStore(store());
            Call call = call("k-" + ifAbandoned);
            faulty.loseResponses(4);
            assertThatThrownBy(() -> newOnce(faulty, SETTINGS, OnceListener.NONE)
                            .leased(call, ifAbandoned, lease -> Response.of("must not run")))
                    .isInstanceOf(StoreException.class);
            assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(Status.PROCESSING);
            faulty.goDown();
            time().advance(Duration.ofSeconds(5));
            faulty.comeUp();
            time().advance(Duration.ofSeconds(1));
            assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(Status.FAILED);
            assertThat(run(Mode.LEASED, call, "runs")).isInstanceOf(Outcome.Executed.class);
        }
    }

    /** The store applies the commit only after the caller has looked it up for longer than a lease. */
    @Test
    default void claimThatIsAppliedLate_isReleased() {
        Call call = call("k");
        List<Commit> pending = new ArrayList<>();
        List<IdempotencyKey> created = new ArrayList<>();
        OnceStore stalled = new ForwardingStore(store()) {
            @Override
            public CommitResult commit(Commit commit) {
                if (pending.size() < 4) {
                    pending.add(commit);
                    time().advance(SETTINGS.lease().dividedBy(3));
                    throw StoreException.unavailable("no response in time", null);
                }
                return super.commit(commit);
            }
        };
        Once once = newOnce(stalled, SETTINGS, new OnceListener() {
            @Override
            public void keyCreated(IdempotencyKey key) {
                created.add(key);
            }
        });
        assertThatThrownBy(() -> once.leased(call, IfAbandoned.FREEZE, lease -> Response.of("must not run")))
                .isInstanceOf(StoreException.class);
        time().advance(Duration.ofSeconds(5));
        store().compareAndSet(
                        pending.get(0).id(),
                        Objects.requireNonNull(pending.get(0).idempotencyWrite()));
        assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(Status.PROCESSING);
        time().advance(Duration.ofSeconds(2));
        assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(Status.FAILED);
        assertThat(created).containsExactly(call.key());
    }

    /** Returns a store whose first commit responds late. */
    private OnceStore slowAtFirst(Duration delay) {
        return new ForwardingStore(store()) {
            private boolean claimed;

            @Override
            public CommitResult commit(Commit commit) {
                CommitResult result = super.commit(commit);
                if (!claimed) {
                    claimed = true;
                    time().advance(delay);
                }
                return result;
            }
        };
    }

    @Test
    default void claimWhoseResponseCameTooLate_isMadeAgainBeforeAnythingRuns() {
        Call call = call("k");
        OnceStore slow = slowAtFirst(SETTINGS.lease());
        Outcome outcome = newOnce(slow, SETTINGS, OnceListener.NONE).leased(call, IfAbandoned.FREEZE, lease -> {
            assertThat(lease.isHeld()).isTrue();
            return Response.of("done");
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(((Outcome.Executed) outcome).attempt()).isEqualTo(2);
    }

    /** The operation did not run, so the key must not become UNKNOWN. */
    @Test
    default void claimWhoseResponseCameTooLate_isReleasedWhenTheStoreIsBack() {
        Call call = call("k");
        FaultyStore faulty = new FaultyStore(store());
        OnceStore slow = new ForwardingStore(faulty) {
            @Override
            public CommitResult commit(Commit commit) {
                CommitResult result = super.commit(commit);
                time().advance(SETTINGS.lease());
                faulty.goDown();
                return result;
            }
        };
        Once once = newOnce(slow, SETTINGS, OnceListener.NONE);
        assertThatThrownBy(() -> once.leased(call, IfAbandoned.FREEZE, lease -> Response.of("must not run")))
                .isInstanceOf(StoreException.class);
        assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(Status.PROCESSING);
        faulty.comeUp();
        time().advance(Duration.ofSeconds(1));
        assertThat(Objects.requireNonNull(stored(call)).status()).isEqualTo(Status.FAILED);
        assertThat(run(Mode.LEASED, call, "done")).isInstanceOf(Outcome.Executed.class);
    }

    /** The lease counts from the time of the request, and so does the time of its first renewal. */
    @Test
    default void leaseWhoseResponseTookLong_isRenewedAtOnce() {
        Call call = call("k");
        OnceStore slow = slowAtFirst(SETTINGS.lease().multipliedBy(70).dividedBy(100));
        Outcome outcome = newOnce(slow, SETTINGS, OnceListener.NONE).leased(call, IfAbandoned.RERUN, lease -> {
            time().advance(SETTINGS.lease().multipliedBy(31).dividedBy(100));
            assertThat(lease.isHeld()).isTrue();
            assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.InProgress.class);
            return Response.of("done");
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
    }
}
