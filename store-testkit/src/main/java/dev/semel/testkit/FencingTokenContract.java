package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.once.Call;
import dev.semel.once.Outcome;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.admin.AdminStore;
import dev.semel.store.admin.Sweeper;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Fencing tokens rise with every start of a key, even after its record is deleted. They are not comparable across keys. */
public interface FencingTokenContract extends StoreFixture {

    private long clockMicros() {
        return time().instant().getEpochSecond() * 1_000_000;
    }

    private long start(Call call) {
        return write(call, Precondition.unchanged(stored(call)), Status.FAILED, null, null)
                .fencingToken();
    }

    /** A token is therefore higher than those that the key had before its record was deleted. */
    @Test
    default void firstToken_isAtLeastTheClockInMicroseconds() {
        long first = start(call("a"));
        assertThat(first).isGreaterThanOrEqualTo(clockMicros());
        time().advance(Duration.ofSeconds(1));
        assertThat(start(call("b"))).isGreaterThanOrEqualTo(clockMicros());
    }

    @Test
    default void token_risesWithEveryStart_whileTheClockStandsStill() {
        Call call = call("k");
        long before = 0;
        for (int i = 0; i < 5; i++) {
            long token = start(call);
            assertThat(token).isGreaterThan(before);
            before = token;
        }
    }

    @Test
    default void token_risesWithEveryStart_whenTheClockIsSetBack() {
        Call call = call("k");
        long before = start(call);
        time().setClock(time().instant().minus(Duration.ofDays(1)));
        assertThat(start(call)).isGreaterThan(before);
    }

    @Test
    default void token_followsTheClock_fromStartToStart() {
        Call call = call("k");
        start(call);
        time().advance(Duration.ofDays(30));
        assertThat(start(call)).isGreaterThanOrEqualTo(clockMicros());
    }

    /** A nanosecond clock in a {@code long} ends in the year 2262. */
    @Test
    @Needs(AdminStore.class)
    default void clockOfTheFarFuture_isAccepted() {
        time().setClock(Instant.parse("9999-06-01T00:00:00Z"));
        Call call = call("k");
        assertThat(run(Mode.LEASED, call, "done")).isInstanceOf(Outcome.Executed.class);
        assertThat(Objects.requireNonNull(stored(call)).fencingToken()).isGreaterThanOrEqualTo(clockMicros());
        assertThat(run(Mode.LEASED, call, "again")).isInstanceOf(Outcome.Replayed.class);
        time().advance(SETTINGS.retention().plus(SETTINGS.tombstone()));
        new Sweeper(((AdminStore) store()).admin(), time()).sweep();
        assertThat(stored(call)).isNull();
    }

    @Test
    default void token_staysTheSame_fromTheClaimToTheCompletion() {
        Call call = call("k");
        newOnce().leased(call, IfAbandoned.RERUN, lease -> {
            time().advance(SETTINGS.lease().multipliedBy(2));
            assertThat(Objects.requireNonNull(stored(call)).fencingToken()).isEqualTo(lease.fencingToken());
            return Response.of(Long.toString(lease.fencingToken()));
        });
        IdempotencyRecord record = Objects.requireNonNull(stored(call));
        assertThat(record.response()).isEqualTo(Response.of(Long.toString(record.fencingToken())));
    }

    @Test
    @Needs(AdminStore.class)
    default void token_rises_afterTheRecordWasPurged() {
        Call call = call("k");
        start(call);
        long before = start(call);
        time().advance(SETTINGS.failedRetention().plus(SETTINGS.tombstone()));
        new Sweeper(((AdminStore) store()).admin(), time()).sweep();
        assertThat(stored(call)).isNull();
        assertThat(start(call)).isGreaterThan(before);
    }

    @Test
    @Needs(AdminStore.class)
    default void token_rises_afterTheUserWasErased() {
        Call call = call("k");
        long before = start(call);
        time().advance(Duration.ofNanos(1_000));
        ((AdminStore) store()).admin().erase(call.key().user(), false);
        assertThat(stored(call)).isNull();
        assertThat(start(call)).isGreaterThan(before);
    }
}
