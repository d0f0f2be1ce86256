package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Fingerprint;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.admin.AdminStore;
import dev.semel.store.spi.QuotaStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** In a sliding window, a user cannot start more new keys than the quota allows. */
@Needs(QuotaStore.class)
public interface QuotaContract extends StoreFixture {

    private Once limited(int limit) {
        return newOnce(store(), SETTINGS.withQuota(new Quota(limit, Duration.ofHours(1))), OnceListener.NONE);
    }

    private Outcome start(Once once, Mode mode, String key) {
        return run(once, mode, call(key), () -> Response.of("done"));
    }

    @ParameterizedTest
    @EnumSource
    default void keysBeyondTheQuota_areLimited_untilTheOldestIsAnHourAgo(Mode mode) {
        Once once = limited(3);
        for (int i = 0; i < 3; i++) {
            assertThat(start(once, mode, mode + "-" + i)).isInstanceOf(Outcome.Executed.class);
            time().advance(Duration.ofMinutes(10));
        }
        assertThat(start(once, mode, "3")).isEqualTo(new Outcome.Limited(Duration.ofMinutes(30)));
        assertThat(stored(call("3"))).isNull();
        time().advance(Duration.ofMinutes(30).minusMillis(1));
        assertThat(start(once, mode, "3")).isEqualTo(new Outcome.Limited(Duration.ofMillis(1)));
        time().advance(Duration.ofMillis(1));
        assertThat(start(once, mode, "3")).isInstanceOf(Outcome.Executed.class);
        assertThat(start(once, mode, "4")).isEqualTo(new Outcome.Limited(Duration.ofMinutes(10)));
    }

    @ParameterizedTest
    @EnumSource
    default void replaysMismatchesAndRetries_doNotCount(Mode mode) {
        Once once = limited(2);
        start(once, mode, "done");
        run(once, mode, call("failed"), () -> {
            throw new IllegalStateException("failed");
        });
        assertThat(start(once, mode, "new")).isInstanceOf(Outcome.Limited.class);
        assertThat(start(once, mode, "done")).isInstanceOf(Outcome.Replayed.class);
        assertThat(run(once, mode, call("done", "{}"), () -> Response.of("no"))).isInstanceOf(Outcome.Mismatch.class);
        assertThat(start(once, mode, "failed")).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    default void keyInProgress_isInProgress_beyondTheQuotaToo() {
        Outcome outcome = limited(1).leased(call("k"), IfAbandoned.RERUN, lease -> {
            assertThat(start(limited(1), Mode.LEASED, "k")).isInstanceOf(Outcome.InProgress.class);
            assertThat(start(limited(1), Mode.LEASED, "new")).isInstanceOf(Outcome.Limited.class);
            return Response.of("done");
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    @Needs(AdminStore.class)
    default void erasedUser_mayStartAsManyKeysAsANewOne() {
        Once once = limited(1);
        start(once, Mode.LEASED, "k");
        ((AdminStore) store()).admin().erase(call("k").key().user(), false);
        assertThat(start(once, Mode.LEASED, "k")).isInstanceOf(Outcome.Executed.class);
        assertThat(start(once, Mode.LEASED, "other")).isInstanceOf(Outcome.Limited.class);
    }

    @ParameterizedTest
    @EnumSource
    default void expiredKey_countsAsNew(Mode mode) {
        Once once = limited(1);
        start(once, mode, "k");
        time().advance(SETTINGS.retention());
        assertThat(start(once, mode, "k")).isInstanceOf(Outcome.Executed.class);
        assertThat(start(once, mode, "other")).isInstanceOf(Outcome.Limited.class);
    }

    @ParameterizedTest
    @EnumSource
    default void keyThatIsStartedAgainWithinTheHour_countsEachTime(Mode mode) {
        OnceSettings brief =
                SETTINGS.withRetention(Duration.ofMinutes(10)).withQuota(new Quota(3, Duration.ofHours(1)));
        Once once = newOnce(store(), brief, OnceListener.NONE);
        for (int i = 0; i < 3; i++) {
            assertThat(start(once, mode, "k")).isInstanceOf(Outcome.Executed.class);
            time().advance(Duration.ofMinutes(10));
        }
        Outcome limited = new Outcome.Limited(Duration.ofMinutes(30));
        assertThat(start(once, mode, "k")).isEqualTo(limited);
        assertThat(start(once, mode, "other")).isEqualTo(limited);
        time().advance(Duration.ofMinutes(30));
        assertThat(start(once, mode, "k")).isInstanceOf(Outcome.Executed.class);
        assertThat(start(once, mode, "other")).isEqualTo(new Outcome.Limited(Duration.ofMinutes(10)));
    }

    @ParameterizedTest
    @EnumSource
    default void clockThatIsSetBack_countsNoKeyForMoreThanAnHour(Mode mode) {
        Instant now = time().instant();
        Once once = limited(2);
        time().setClock(now.plus(Duration.ofMinutes(60)));
        start(once, mode, "early");
        time().setClock(now.plus(Duration.ofMinutes(1)));
        start(once, mode, "in-time");
        time().setClock(now.plus(Duration.ofMinutes(62)));
        assertThat(start(once, mode, "later")).isInstanceOf(Outcome.Executed.class);
        assertThat(start(once, mode, "more")).isEqualTo(new Outcome.Limited(Duration.ofMinutes(58)));
    }

    @Test
    default void oneUsersKeys_doNotCountForAnother() {
        Once once = limited(1);
        start(once, Mode.LEASED, "k");
        Call bobs = Call.of(new IdempotencyKey("bob", "POST /payments", "k"), Fingerprint.ofJson("1"));
        assertThat(run(once, Mode.LEASED, bobs, () -> Response.of("done"))).isInstanceOf(Outcome.Executed.class);
    }

    @ParameterizedTest
    @EnumSource
    default void manyThreadsOnTwoServers_startNoMoreKeysThanTheQuota(Mode mode) throws Exception {
        List<Once> servers = List.of(limited(100), limited(100));
        AtomicInteger executed = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(64);
        try {
            List<Future<?>> callers = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                int number = i;
                callers.add(threads.submit(() -> {
                    if (start(servers.get(number % 2), mode, mode + "-" + number) instanceof Outcome.Executed) {
                        executed.incrementAndGet();
                    }
                }));
            }
            for (Future<?> caller : callers) {
                caller.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(executed).hasValue(100);
    }
}
