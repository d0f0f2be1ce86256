package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Fingerprint;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.store.Capability;
import dev.semel.store.IfAbandoned;
import dev.semel.store.OnceKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A user begins no more new keys in a sliding time than they may. */
public interface QuotaContract extends StoreFixture {

    private Once limited(int limit) {
        return newOnce(store(), SETTINGS.withQuota(new Quota(limit, Duration.ofHours(1))), OnceListener.NONE);
    }

    private Outcome begin(Once once, Mode mode, String key) {
        return run(once, mode, call(key), () -> Response.of("done"));
    }

    @Test
    default void keysBeyondTheQuota_areLimited_untilTheOldestIsAnHourAgo() {
        needs(Capability.QUOTA);
        for (Mode mode : modes()) {
            time().advance(Duration.ofHours(2));
            Once once = limited(3);
            for (int i = 0; i < 3; i++) {
                assertThat(begin(once, mode, mode + "-" + i)).isInstanceOf(Outcome.Executed.class);
                time().advance(Duration.ofMinutes(10));
            }
            assertThat(begin(once, mode, mode + "-3")).isEqualTo(new Outcome.Limited(Duration.ofMinutes(30)));
            assertThat(stored(call(mode + "-3"))).isNull();
            time().advance(Duration.ofMinutes(30).minusMillis(1));
            assertThat(begin(once, mode, mode + "-3")).isEqualTo(new Outcome.Limited(Duration.ofMillis(1)));
            time().advance(Duration.ofMillis(1));
            assertThat(begin(once, mode, mode + "-3")).isInstanceOf(Outcome.Executed.class);
            assertThat(begin(once, mode, mode + "-4")).isEqualTo(new Outcome.Limited(Duration.ofMinutes(10)));
        }
    }

    @Test
    default void replaysMismatchesAndRetries_areFree() {
        needs(Capability.QUOTA);
        for (Mode mode : modes()) {
            time().advance(Duration.ofHours(2));
            Once once = limited(2);
            begin(once, mode, mode + "-done");
            run(once, mode, call(mode + "-failed"), () -> {
                throw new IllegalStateException("failed");
            });
            assertThat(begin(once, mode, mode + "-new")).isInstanceOf(Outcome.Limited.class);
            assertThat(begin(once, mode, mode + "-done")).isInstanceOf(Outcome.Replayed.class);
            assertThat(run(once, mode, call(mode + "-done", "{}"), () -> Response.of("no")))
                    .isInstanceOf(Outcome.Mismatch.class);
            assertThat(begin(once, mode, mode + "-failed")).isInstanceOf(Outcome.Executed.class);
        }
    }

    @Test
    default void whoAsksForWhatIsUnderWay_isToldSo_howeverManyKeysTheyHaveBegun() {
        needs(Capability.QUOTA);
        Outcome outcome = limited(1).leased(call("k"), IfAbandoned.RERUN, lease -> {
            assertThat(begin(limited(1), Mode.LEASED, "k")).isInstanceOf(Outcome.InProgress.class);
            assertThat(begin(limited(1), Mode.LEASED, "new")).isInstanceOf(Outcome.Limited.class);
            return Response.of("done");
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    default void userWhoWasErased_mayBeginAsManyAsSomebodyNew() {
        needs(Capability.QUOTA, Capability.HOUSEKEEPING);
        Once once = limited(1);
        begin(once, Mode.LEASED, "k");
        store().housekeeping().erase(call("k").key().user(), false);
        assertThat(begin(once, Mode.LEASED, "k")).isInstanceOf(Outcome.Executed.class);
        assertThat(begin(once, Mode.LEASED, "other")).isInstanceOf(Outcome.Limited.class);
    }

    @Test
    default void expiredKey_countsAsNew() {
        needs(Capability.QUOTA);
        for (Mode mode : modes()) {
            Once once = limited(1);
            begin(once, mode, mode + "-k");
            time().advance(SETTINGS.retention());
            assertThat(begin(once, mode, mode + "-k")).isInstanceOf(Outcome.Executed.class);
            assertThat(begin(once, mode, mode + "-other")).isInstanceOf(Outcome.Limited.class);
            time().advance(Duration.ofHours(1));
        }
    }

    @Test
    default void keyThatIsBegunAnewWithinTheHour_countsEachTime() {
        needs(Capability.QUOTA);
        for (Mode mode : modes()) {
            time().advance(Duration.ofHours(2));
            OnceSettings brief =
                    SETTINGS.withRetention(Duration.ofMinutes(10)).withQuota(new Quota(3, Duration.ofHours(1)));
            Once once = newOnce(store(), brief, OnceListener.NONE);
            for (int i = 0; i < 3; i++) {
                assertThat(begin(once, mode, mode + "-k")).isInstanceOf(Outcome.Executed.class);
                time().advance(Duration.ofMinutes(10));
            }
            Outcome limited = new Outcome.Limited(Duration.ofMinutes(30));
            assertThat(begin(once, mode, mode + "-k")).isEqualTo(limited);
            assertThat(begin(once, mode, mode + "-other")).isEqualTo(limited);
            time().advance(Duration.ofMinutes(30));
            assertThat(begin(once, mode, mode + "-k")).isInstanceOf(Outcome.Executed.class);
            assertThat(begin(once, mode, mode + "-other")).isEqualTo(new Outcome.Limited(Duration.ofMinutes(10)));
        }
    }

    @Test
    default void clockThatIsSetBack_keepsNoKeyForMoreThanAnHour() {
        needs(Capability.QUOTA);
        for (Mode mode : modes()) {
            time().advance(Duration.ofHours(3));
            Instant now = time().instant();
            Once once = limited(2);
            time().setClock(now.plus(Duration.ofMinutes(60)));
            begin(once, mode, mode + "-early");
            time().setClock(now.plus(Duration.ofMinutes(1)));
            begin(once, mode, mode + "-in-time");
            time().setClock(now.plus(Duration.ofMinutes(62)));
            assertThat(begin(once, mode, mode + "-later")).isInstanceOf(Outcome.Executed.class);
            assertThat(begin(once, mode, mode + "-more")).isEqualTo(new Outcome.Limited(Duration.ofMinutes(58)));
        }
    }

    @Test
    default void oneUsersKeys_doNotCountForAnother() {
        needs(Capability.QUOTA);
        Once once = limited(1);
        begin(once, Mode.LEASED, "k");
        Call bobs = Call.of(new OnceKey("bob", "POST /payments", "k"), Fingerprint.ofJson("1"));
        assertThat(run(once, Mode.LEASED, bobs, () -> Response.of("done"))).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    default void manyThreadsOnTwoServers_beginNoMoreThanTheQuota() throws Exception {
        needs(Capability.QUOTA);
        for (Mode mode : modes()) {
            time().advance(Duration.ofHours(2));
            List<Once> servers = List.of(limited(100), limited(100));
            AtomicInteger executed = new AtomicInteger();
            ExecutorService threads = Executors.newFixedThreadPool(64);
            try {
                List<Future<?>> callers = new ArrayList<>();
                for (int i = 0; i < 400; i++) {
                    int number = i;
                    callers.add(threads.submit(() -> {
                        if (begin(servers.get(number % 2), mode, mode + "-" + number) instanceof Outcome.Executed) {
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
}
