package dev.semel.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.Time;
import dev.semel.store.spi.DocumentStore;
import dev.semel.testkit.TestSize;
import dev.semel.testkit.crash.CrashFailure;
import dev.semel.testkit.crash.CrashReport;
import dev.semel.testkit.crash.CrashRun;
import dev.semel.testkit.crash.CrashSettings;
import dev.semel.testkit.crash.StoreOpener;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills the process at random moments. No acknowledged commit is lost, applied twice, or applied in part. */
class CrashTest {

    private static final int KILLS = TestSize.of(10, 100);
    private static final int FEW_KILLS = 10;
    private static final long SEED = 20260107;

    @TempDir
    private Path folder;

    public static final class Sound implements StoreOpener {
        @Override
        public DocumentStore open(Path folder, Time time) {
            return RocksDbStore.open(folder, RocksDbSettings.DEFAULTS, time);
        }
    }

    /** Opens a store that acknowledges commits too early. */
    public static final class AcknowledgesEarly implements StoreOpener {
        @Override
        public DocumentStore open(Path folder, Time time) {
            return new StoreThatAcknowledgesEarly(new Sound().open(folder, time));
        }
    }

    /** Opens a store that writes a commit in two parts. */
    public static final class Splits implements StoreOpener {
        @Override
        public DocumentStore open(Path folder, Time time) {
            return new StoreThatSplits(new Sound().open(folder, time));
        }
    }

    private CrashReport run(Class<? extends StoreOpener> opener, int kills) {
        CrashSettings settings = CrashSettings.of(opener, folder.resolve(kills + "-kills"));
        return new CrashRun(settings.withKills(kills).withSeed(SEED)).run();
    }

    @Test
    void killedAgainAndAgain_everythingAcknowledgedIsThereOnce() {
        CrashReport report = run(Sound.class, KILLS);

        assertThat(report.kills()).isEqualTo(KILLS);
        assertThat(report.checked()).isEqualTo(report.operations()).isGreaterThan(15L * KILLS);
        assertThat(report.acknowledgements()).isGreaterThan(report.operations());
        assertThat(report.killsWhileOpening()).isPositive();
        assertThat(report.rerun() + report.frozen()).isPositive();
    }

    @Test
    void storeThatAcknowledgesBeforeItWrites_isRejected() {
        assertThat(run(AcknowledgesEarly.class, 0).checked()).isPositive();
        assertThatThrownBy(() -> run(AcknowledgesEarly.class, FEW_KILLS))
                .isInstanceOf(CrashFailure.class)
                .hasMessageContaining("Seed " + SEED)
                .hasMessageFindingMatch("was acknowledged, and has no record|, and later \"");
    }

    @Test
    void storeThatSplitsACommit_isRejected() {
        assertThat(run(Splits.class, 0).checked()).isPositive();
        assertThatThrownBy(() -> run(Splits.class, FEW_KILLS))
                .isInstanceOf(CrashFailure.class)
                .hasMessageContaining("Seed " + SEED)
                .hasMessageContaining("is COMPLETED and has 0 effects");
    }
}
