package dev.semel.testkit.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.MemoryStore;
import dev.semel.store.Store;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The run itself: it tells a store that forgets, and a worker that does not do what it is there for. */
class CrashRunTest {

    @TempDir
    private Path folder;

    /** Opens a store that forgets everything with its process. */
    public static final class Forgets implements StoreOpener {
        @Override
        public Store open(Path folder, Time time) {
            return new MemoryStore(time, 1 << 28);
        }
    }

    /** Opens nothing. */
    public static final class Refuses implements StoreOpener {
        @Override
        public Store open(Path folder, Time time) {
            throw StoreException.refused("the folder is made of cheese");
        }
    }

    /** Never comes to an end. */
    public static final class Hangs implements StoreOpener {
        @Override
        public Store open(Path folder, Time time) {
            while (true) {
                LockSupport.park();
            }
        }
    }

    private CrashSettings settings(Class<? extends StoreOpener> opener) {
        return CrashSettings.of(opener, folder).withKills(3).withSeed(11);
    }

    @Test
    void storeThatForgets_isToldWithTheSeed() throws Exception {
        assertThatThrownBy(() -> new CrashRun(settings(Forgets.class)).run())
                .isInstanceOf(CrashFailure.class)
                .hasMessageStartingWith("Seed 11, after 3 kills, in " + folder + ": ")
                .hasMessageContaining("things do not hold:\n- ")
                .hasMessageEndingWith("\n- …");
        assertThat(Files.size(folder.resolve("effects")))
                .isPositive()
                .satisfies(size -> assertThat(size % 32).isZero());
    }

    @Test
    void workerThatDiesByItself_isAFailureWithWhatItSaid() {
        assertThatThrownBy(() -> new CrashRun(settings(Refuses.class).withKills(0)).run())
                .isInstanceOf(CrashFailure.class)
                .hasMessageContaining("The worker ended by itself with status 3; on standard error:")
                .hasMessageContaining("the folder is made of cheese");
    }

    @Test
    void workerThatHangs_isAFailureAndIsEnded() {
        CrashSettings hanging = settings(Hangs.class).withKills(0).withPatience(Duration.ofSeconds(3));
        assertThatThrownBy(() -> new CrashRun(hanging).run())
                .isInstanceOf(CrashFailure.class)
                .hasMessageContaining("The worker has said nothing for PT3S");
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
                .allSatisfy(child ->
                        assertThat(child.info().commandLine().orElse("")).doesNotContain(Hangs.class.getName()));
    }

    @Test
    void seed_repeatsTheOperations() {
        Workload workload = new Workload(5);
        Workload again = new Workload(5);
        for (long number = 1; number <= 100; number++) {
            assertThat(again.kind(number)).isEqualTo(workload.kind(number));
            assertThat(again.data(number)).isEqualTo(workload.data(number));
        }
    }
}
