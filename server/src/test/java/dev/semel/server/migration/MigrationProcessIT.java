package dev.semel.server.migration;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.memory.MemoryStore;
import dev.semel.rocksdb.RocksDbSettings;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.server.migration.Migration.Verification;
import dev.semel.server.migration.MigrationState.Counts;
import dev.semel.store.Time;
import dev.semel.testkit.TestSize;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
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
    private static final int MANY_FOR_A_SMALL_DISK = 20_000;

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
        assertThat(ended).startsWith("0 ").contains("written=45, merged=5, skipped=0");
        assertThat(runs).isGreaterThan(2 * FEW / BATCH);
        try (RocksDbStore store = RocksDbStore.open(folder, RocksDbSettings.DEFAULTS, Time.system())) {
            assertThat(MigrationFixture.contents(store)).isEqualTo(expected);
            assertThat(new Migration(store, Time.system()).verify(MigrationListener.NONE))
                    .isEqualTo(new Verification(45, 45, 0, 0));
        }
    }

    /** A child process mounts a small disk in its own mount namespace. */
    @Test
    void fullDisk_isReported_andTheMigrationContinuesWhenThereIsRoom() throws Exception {
        assumeTrue(onSmallDisk("true").endsWith("status 0"), "needs Linux, and the right to mount a disk");
        Path source = temp.resolve("old.ndjson");
        try (InputStream documents = new MigrationWorker.Documents(MANY_FOR_A_SMALL_DISK)) {
            Files.copy(documents, source);
        }
        String store = "rocksdb:" + temp.resolve("disk").resolve("data");
        assertThat(onSmallDisk(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.semel.server.cli.Semel",
                        "migrate",
                        "run",
                        "--merge",
                        "newest",
                        "--json",
                        "--from",
                        source.toString(),
                        "--to",
                        store))
                .containsPattern("semel migrate run: [^\n]*No space left on device\nstatus 1\n")
                .contains("\"read\":" + MANY_FOR_A_SMALL_DISK + ",")
                .endsWith("status 0");
    }

    /** Runs a command twice: on a disk that is nearly full, and when there is room. */
    private String onSmallDisk(String... command) throws IOException, InterruptedException {
        Path disk = Files.createDirectories(temp.resolve("disk"));
        String script =
                "mount -t tmpfs -o size=128m none \"$0\" && head -c 112000000 /dev/zero > \"$0\"/ballast && \"$@\";"
                        + " echo \"status $?\"; rm -f \"$0\"/ballast && \"$@\"; echo \"status $?\"";
        List<String> all =
                new ArrayList<>(List.of("unshare", "--map-root-user", "--mount", "sh", "-c", script, disk.toString()));
        all.addAll(List.of(command));
        try {
            Process process = new ProcessBuilder(all).redirectErrorStream(true).start();
            return new String(process.getInputStream().readAllBytes(), UTF_8).strip();
        } catch (IOException e) {
            return "";
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
