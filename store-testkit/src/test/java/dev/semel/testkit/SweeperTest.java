package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.memory.MemoryStore;
import dev.semel.store.StoreException;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.StoreAdmin.Cleanup;
import dev.semel.store.admin.StoreAdmin.KeyPage;
import dev.semel.store.admin.StoreAdmin.KeyQuery;
import dev.semel.store.admin.StoreAdmin.SweepStep;
import dev.semel.store.admin.Sweeper;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SweeperTest {

    private static final Duration STEP = Duration.ofMillis(10);

    /** The sweep uses a twentieth of the time for an hour, and then half of it. */
    @Test
    void sweepThatTakesLong_pausesLess() {
        ControlledTime time = new ControlledTime();
        AtomicLong left = new AtomicLong(22_000);
        Sweeper.Task task = new Sweeper.Task("things", () -> {
            time.advance(STEP);
            return Math.max(left.getAndDecrement(), 0);
        });
        long startedAt = time.nanoTime();
        new Sweeper(new MemoryStore().admin(), time, List.of(task), (cleanups, complete) -> {}).sweep();
        assertThat(Duration.ofNanos(time.nanoTime() - startedAt))
                .isCloseTo(Duration.ofSeconds(3_600 + 80), Duration.ofSeconds(1));
    }

    @Test
    void sweepThatTakesLong_isLoggedEveryMinute() {
        ControlledTime time = new ControlledTime();
        MemoryStore store = new MemoryStore(time, 1 << 20);
        AtomicLong left =
                new AtomicLong(900); // ten milliseconds each, with pauses of nineteen times that: three minutes
        Sweeper.Task task = new Sweeper.Task("things", () -> {
            time.advance(STEP);
            return left.getAndDecrement() > 0 ? 1L : 0L;
        });
        List<Cleanup> reported = new ArrayList<>();
        new Sweeper(store.admin(), time, List.of(task), (cleanups, complete) -> reported.addAll(cleanups)).sweep();
        assertThat(reported).contains(new Cleanup("things", 900, time.instant()));
        List<Long> noted = store.admin().cleanups(100).stream()
                .filter(cleanup -> cleanup.table().equals("things"))
                .map(Cleanup::deleted)
                .toList();
        assertThat(noted).hasSize(3).allMatch(count -> count > 250);
        assertThat(noted.stream().mapToLong(Long::longValue).sum()).isEqualTo(900);
    }

    /** Deletions before a failure of the store are logged when the store is available again. */
    @Test
    void sweepThatCannotBeLogged_isLoggedWithTheNext() {
        ControlledTime time = new ControlledTime();
        PoliteAdmin admin = new PoliteAdmin(time);
        List<Long> steps = new ArrayList<>(List.of(5L, -1L, 3L, 0L));
        Sweeper.Task task = new Sweeper.Task("things", () -> {
            long count = steps.remove(0);
            admin.fails = count < 0;
            return count < 0 ? admin.failing() : count;
        });
        List<Long> reported = new ArrayList<>();
        Sweeper sweeper = new Sweeper(
                admin,
                time,
                List.of(task),
                (cleanups, complete) -> reported.add(cleanups.get(0).deleted()));
        assertThatThrownBy(sweeper::sweep).isInstanceOf(StoreException.class);
        assertThat(admin.cleanups(10)).isEmpty();
        admin.fails = false;
        sweeper.sweep();
        assertThat(reported).containsExactly(5L, 3L);
        assertThat(admin.cleanups(10)).extracting(Cleanup::deleted).containsExactly(8L);
    }

    @Test
    void serversThatWereStartedTogether_driftApart() {
        ControlledTime time = new ControlledTime();
        MemoryStore store = new MemoryStore(time, 1 << 20);
        List<Instant> sweeps = new ArrayList<>();
        List<Sweeper> servers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Sweeper server =
                    new Sweeper(store.admin(), time, List.of(), (cleanups, complete) -> sweeps.add(time.instant()));
            server.every(Duration.ofHours(6), e -> {});
            servers.add(server);
        }
        time.advance(Duration.ofMinutes(2));
        assertThat(sweeps).hasSize(10);
        time.advance(Duration.ofMinutes(6 * 66));
        assertThat(sweeps).hasSize(20);
        assertThat(Duration.between(sweeps.get(10), sweeps.get(19))).isGreaterThan(Duration.ofMinutes(1));
        servers.forEach(Sweeper::close);
    }

    @Test
    void interrupt_endsThatSweepAlone() {
        ControlledTime time = new ControlledTime();
        AtomicLong steps = new AtomicLong();
        Sweeper.Task task = new Sweeper.Task("things", () -> {
            Thread.currentThread().interrupt();
            return steps.incrementAndGet();
        });
        Sweeper sweeper = new Sweeper(new MemoryStore().admin(), time, List.of(task), (cleanups, complete) -> {});
        sweeper.sweep();
        assertThat(Thread.interrupted()).isTrue();
        sweeper.sweep();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(steps).hasValue(2);
    }

    /** Eight of ten milliseconds were waiting, so the pause is nineteen times the other two. */
    @Test
    void stepThatWaitedForOthers_pausesForItsOwnWorkAlone() {
        ControlledTime time = new ControlledTime();
        long startedAt = time.nanoTime();
        new Sweeper(new PoliteAdmin(time), time).sweep();
        assertThat(Duration.ofNanos(time.nanoTime() - startedAt)).isEqualTo(Duration.ofMillis(10 + 19 * 2));
    }

    /** Steps that wait for other writes most of the time, and fail on demand. */
    private static final class PoliteAdmin implements StoreAdmin {
        private final StoreAdmin admin = new MemoryStore().admin();
        private final ControlledTime time;
        private boolean fails;

        PoliteAdmin(ControlledTime time) {
            this.time = time;
        }

        @Override
        public InstantSource clock() {
            return admin.clock();
        }

        @Override
        public SweepStep sweep(String cursor) {
            time.advance(STEP);
            return new SweepStep(Map.of(), Optional.empty(), STEP.minusMillis(2));
        }

        @Override
        public KeyPage list(KeyQuery query) {
            return admin.list(query);
        }

        long failing() {
            throw StoreException.unavailable("down", null);
        }

        @Override
        public void log(List<Cleanup> cleanups) {
            if (fails) {
                failing();
            }
            admin.log(cleanups);
        }

        @Override
        public List<Cleanup> cleanups(@Nullable Cleanup after, int limit) {
            return admin.cleanups(after, limit);
        }

        @Override
        public Map<String, Long> erase(String user, boolean withDocuments) {
            return admin.erase(user, withDocuments);
        }
    }
}
