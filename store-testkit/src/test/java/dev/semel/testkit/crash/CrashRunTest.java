package dev.semel.testkit.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.memory.MemoryStore;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.spi.OnceStore;
import dev.semel.testkit.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The run detects a store that loses data, and a worker that hangs or ends by itself. */
class CrashRunTest {

    @TempDir
    private Path folder;

    /** Opens a store that loses everything when its process ends. */
    public static final class Forgets implements StoreOpener {
        @Override
        public OnceStore open(Path folder, Time time) {
            return new MemoryStore(time, 1 << 28);
        }
    }

    /** Opens a durable store of idempotency records alone. */
    public static final class RecordsAlone implements StoreOpener {
        @Override
        public OnceStore open(Path folder, Time time) {
            return new FileStore(folder, time);
        }
    }

    public static final class CannotOpen implements StoreOpener {
        @Override
        public OnceStore open(Path folder, Time time) {
            throw StoreException.rejected("the folder is made of cheese");
        }
    }

    /** Opens a store that never responds. */
    public static final class Hangs implements StoreOpener {
        @Override
        public OnceStore open(Path folder, Time time) {
            while (true) {
                LockSupport.park();
            }
        }
    }

    private CrashSettings settings(Class<? extends StoreOpener> opener) {
        return CrashSettings.of(opener, folder).withKills(3).withSeed(11);
    }

    @Test
    void storeThatForgets_isReportedWithTheSeed() throws Exception {
        assertThatThrownBy(() -> new CrashRun(settings(Forgets.class)).run())
                .isInstanceOf(CrashFailure.class)
                .hasMessageStartingWith("Seed 11, after 3 kills, in " + folder + ": ")
                .hasMessageContaining("violations:\n- ")
                .hasMessageEndingWith("\n- …");
        assertThat(Files.size(folder.resolve("effects")))
                .isPositive()
                .satisfies(size -> assertThat(size % 32).isZero());
    }

    @Test
    void storeOfRecordsAlone_isRunWithLeasedOperations() {
        CrashReport report = new CrashRun(settings(RecordsAlone.class)).run();
        assertThat(report.kills()).isEqualTo(3);
        assertThat(report.checked()).isEqualTo(report.operations()).isGreaterThan(50);
    }

    @Test
    void workerThatDiesByItself_isAFailureWithWhatItSaid() {
        assertThatThrownBy(() -> new CrashRun(settings(CannotOpen.class).withKills(0)).run())
                .isInstanceOf(CrashFailure.class)
                .hasMessageContaining("The worker ended by itself with status 3; on standard error:")
                .hasMessageContaining("the folder is made of cheese");
    }

    @Test
    void workerThatHangs_isAFailure_andIsKilled() {
        CrashSettings hanging = settings(Hangs.class).withKills(0).withMaxWait(Duration.ofSeconds(3));
        assertThatThrownBy(() -> new CrashRun(hanging).run())
                .isInstanceOf(CrashFailure.class)
                .hasMessageContaining("No output from the workers for PT3S");
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
                .allSatisfy(child ->
                        assertThat(child.info().commandLine().orElse("")).doesNotContain(Hangs.class.getName()));
    }

    @Test
    void seed_repeatsTheOperations() {
        Workload workload = new Workload(5, new MemoryStore());
        Workload again = new Workload(5, new MemoryStore());
        for (long number = 1; number <= 100; number++) {
            assertThat(again.kind(number)).isEqualTo(workload.kind(number));
            assertThat(again.data(number)).isEqualTo(workload.data(number));
        }
    }
}
