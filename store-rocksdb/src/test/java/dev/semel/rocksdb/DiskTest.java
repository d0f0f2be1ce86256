package dev.semel.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.store.Time;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A disk that is full or read-only. A child process mounts a small disk in its own mount namespace. The tests are skipped on systems that
 * do not allow this.
 */
class DiskTest {

    private static final String FULL_DISK = "mount -t tmpfs -o size=32m none \"$0\"";
    private static final String READ_ONLY_DISK = "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\"";

    @TempDir
    private Path disk;

    @TempDir
    private Path elsewhere;

    /** Runs a worker on a mounted disk, and returns its output without that of the JVM. */
    private List<String> run(String mount, List<String> command) throws Exception {
        Path errors = elsewhere.resolve("errors");
        List<String> all = new ArrayList<>(List.of("unshare", "--map-root-user", "--mount", "sh", "-c"));
        all.add(mount + " && exec \"$@\"");
        all.add(disk.toString());
        all.addAll(command);
        Process process = new ProcessBuilder(all).redirectError(errors.toFile()).start();
        List<String> said = new String(process.getInputStream().readAllBytes(), UTF_8)
                .lines()
                .toList();
        assertThat(process.waitFor()).as(said + Files.readString(errors)).isZero();
        return said;
    }

    private void assumeMountable(String mount) {
        boolean mountable;
        try {
            mountable = run(mount, List.of("true")).isEmpty();
        } catch (Exception | AssertionError e) {
            mountable = false;
        }
        assumeTrue(mountable, "needs Linux, and the right to mount a disk: " + mount);
    }

    private List<String> work(String mount, String what) throws Exception {
        assumeMountable(mount);
        return run(
                mount,
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        DiskWorker.class.getName(),
                        what,
                        disk.toString()));
    }

    @Test
    void fullDisk_isReported_keepsAcknowledgedWrites_andRecovers() throws Exception {
        List<String> said = work(FULL_DISK, "fill");
        assertThat(said).hasSize(4);
        assertThat(said.get(0)).startsWith("full: The disk failed to write: ").contains("No space left on device");
        assertThat(said.subList(1, 4))
                .containsExactly("wait after keys that failed: PT0S", "all there", "writes again: true");
    }

    @Test
    void readOnlyDisk_isReported_whetherThereIsAStoreOrNot() throws Exception {
        assumeMountable(READ_ONLY_DISK);
        Path folder = disk.resolve("data");
        assertThat(work(READ_ONLY_DISK, "open")).containsExactly(readOnly(folder));
        RocksDbStore.open(folder, RocksDbSettings.DEFAULTS, Time.system()).close();
        assertThat(work(READ_ONLY_DISK, "open")).containsExactly(readOnly(folder.resolve("LOCK")));
    }

    private String readOnly(Path file) {
        return "Cannot use the folder " + disk.resolve("data") + ": Read-only file system: " + file;
    }
}
