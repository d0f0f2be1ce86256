package dev.semel.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.Apps;
import dev.semel.server.ServerFixture;
import dev.semel.store.Cleanup;
import dev.semel.store.MemoryStore;
import dev.semel.testkit.ControlledTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SweepsTest {

    @Test
    void serverSweeps_soonAfterItsStart_andThenEverySixHours_untilItStops() {
        ControlledTime time = new ControlledTime();
        MemoryStore store = new MemoryStore(time, 1 << 20);
        List<Cleanup> last;
        try (ServerFixture server = ServerFixture.on(store, time, Apps::all)) {
            assertThat(server.server().url()).isNotEmpty();
            time.advance(Duration.ofMinutes(1));
            int sweeps = store.housekeeping().cleanups(1000).size();
            assertThat(sweeps).isPositive();
            time.advance(Duration.ofHours(6).minusSeconds(1));
            assertThat(store.housekeeping().cleanups(1000)).hasSize(sweeps);
            time.advance(Duration.ofSeconds(1));
            last = store.housekeeping().cleanups(1000);
            assertThat(last).hasSize(2 * sweeps);
        }
        time.advance(Duration.ofDays(1)); // the store is closed: a sweep would fail, and say so
        assertThat(last).allMatch(cleanup -> cleanup.deleted() == 0);
    }
}
