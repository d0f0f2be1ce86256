package dev.semel.server.migration;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.memory.MemoryStore;
import dev.semel.rocksdb.RocksDbSettings;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.server.migration.Migration.Verification;
import dev.semel.server.migration.MigrationState.Counts;
import dev.semel.store.Time;
import dev.semel.testkit.TestSize;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Migrations in processes that are killed, or that have little memory. */
class MigrationProcessIT {

    private static final int KILLED = 137;
    private static final long DOCUMENTS = TestSize.of(20_000, 1_000_000);
    private static final int FEW = 50;
    private static final int BATCH = 8;

    @TempDir
    private Path temp;

    /** Runs a worker, and returns its exit status and what it has printed. */
    private static String work(Path store, long documents, int batch, int killedAt, String... flags)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:+ExitOnOutOfMemoryError",
                "-Xshare:auto"));
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of(flags));
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                MigrationWorker.class.getName(),
                store.toString(),
                String.valueOf(documents),
                String.valueOf(batch),
                String.valueOf(killedAt)));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return process.exitValue() + " " + printed.strip();
    }

    @Test
    void processThatIsKilledAtEveryCommit_completesTheMigration() throws Exception {
        Map<String, String> expected;
        try (MemoryStore unkilled = new MemoryStore()) {
            new Migration(unkilled, Time.system(), BATCH)
                    .run(
                            new NdjsonSource(new MigrationWorker.Documents(FEW), "generated", 0),
                            MigrationFixture.merging("newest"),
                            MigrationListener.NONE);
            expected = MigrationFixture.contents(unkilled);
        }
        Path folder = temp.resolve("store");
        int runs = 0;
        String ended = KILLED + " ";
        while (ended.equals(KILLED + " ")) {
            // before the next commit that writes a batch, and after it: each run has to write one
            ended = work(folder, FEW, BATCH, runs % 2 == 0 ? 1 : -1, "-XX:TieredStopAtLevel=1");
            runs++;
        }
        assertThat(runs).isGreaterThan(2 * FEW / BATCH);
        assertThat(ended).startsWith("0 ").contains("written=45, merged=5, skipped=0");
        try (RocksDbStore store = RocksDbStore.open(folder, RocksDbSettings.DEFAULTS, Time.system())) {
            assertThat(MigrationFixture.contents(store)).isEqualTo(expected);
            assertThat(new Migration(store, Time.system()).verify(MigrationListener.NONE))
                    .isEqualTo(new Verification(45, 45, 0, 0));
        }
    }

    @Test
    void manyDocuments_areMigratedAndRolledBackWithLittleMemory() throws Exception {
        Path folder = temp.resolve("store");
        String killed = work(folder, DOCUMENTS, 500, (int) (DOCUMENTS / 1000), "-Xmx64m");
        assertThat(killed).isEqualTo(KILLED + " ");
        String ended = work(folder, DOCUMENTS, 500, 0, "-Xmx64m");
        assertThat(ended).startsWith("0 Counts[written=" + DOCUMENTS * 9 / 10 + ", merged=" + DOCUMENTS / 10);
        try (RocksDbStore store = RocksDbStore.open(folder, RocksDbSettings.DEFAULTS, Time.system())) {
            Migration migration = new Migration(store, Time.system());
            assertThat(migration.status().get(0).total()).isEqualTo(new Counts(DOCUMENTS * 9 / 10, DOCUMENTS / 10, 0));
            assertThat(migration.verify(MigrationListener.NONE).matching()).isEqualTo(DOCUMENTS * 9 / 10);
            assertThat(migration.rollback(0, MigrationListener.NONE).changed()).isZero();
            assertThat(MigrationFixture.contents(store)).isEmpty();
        }
    }
}
