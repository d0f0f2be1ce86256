package dev.semel.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.outbox.Outbox.Page;
import dev.semel.outbox.Outbox.Query;
import dev.semel.rocksdb.RocksDbSettings;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An outbox on a full disk. A child process mounts a small disk in its own mount namespace. The test is skipped on systems that do not allow
 * this.
 */
class FullDiskTest {

    private static final String MOUNT = "mount -t tmpfs -o size=32m none \"$0\" && exec \"$@\"";
    private static final int BALLAST_BYTES = 20 << 20;

    @TempDir
    private Path disk;

    @TempDir
    private Path elsewhere;

    /** Runs a command on the small disk, and returns its output. */
    private List<String> run(String... command) throws IOException, InterruptedException {
        Path errors = elsewhere.resolve("errors");
        List<String> all =
                new ArrayList<>(List.of("unshare", "--map-root-user", "--mount", "sh", "-c", MOUNT, disk.toString()));
        all.addAll(List.of(command));
        Process process = new ProcessBuilder(all).redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(output + Files.readString(errors)).isZero();
        return output.lines().toList();
    }

    private boolean canMount() throws InterruptedException {
        try {
            return run("true").isEmpty();
        } catch (IOException | AssertionError e) {
            return false;
        }
    }

    @Test
    void addOnAFullDisk_fails_losesNothing_andWorksAgainWhenThereIsRoom() throws Exception {
        assumeTrue(canMount(), "needs Linux, and the right to mount a disk");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        assertThat(run(java, "-cp", System.getProperty("java.class.path"), Child.class.getName(), disk.toString()))
                .containsExactly("full", "all there", "added after all");
    }

    /** Adds entries until the disk is full, makes room, and looks for the entries. */
    static final class Child {

        private Child() {}

        public static void main(String[] arguments) throws IOException {
            Path disk = Path.of(arguments[0]);
            Path ballast = Files.write(disk.resolve("ballast"), new byte[BALLAST_BYTES]);
            List<OutboxEntry> added = new ArrayList<>();
            try (RocksDbStore full = store(disk)) {
                Outbox outbox = Outbox.on(full);
                try {
                    while (true) {
                        added.add(outbox.add(request()));
                    }
                } catch (StoreException e) {
                    System.out.println("full");
                }
            }
            Files.delete(ballast);
            try (RocksDbStore roomy = store(disk)) {
                Outbox outbox = Outbox.on(roomy);
                List<OutboxEntry> stored = all(outbox);
                System.out.println(!added.isEmpty() && startsWith(stored, added) ? "all there" : added + " " + stored);
                OutboxEntry after = outbox.add(request());
                stored = all(outbox);
                System.out.println(
                        stored.indexOf(after) == stored.size() - 1 ? "added after all" : stored + " " + after);
            }
        }

        private static RocksDbStore store(Path disk) {
            return RocksDbStore.open(
                    disk.resolve("outbox"), RocksDbSettings.DEFAULTS.withMemoryBytes(16L << 20), Time.system());
        }

        /** Whether there are all these entries, and at most the one whose add has failed. */
        private static boolean startsWith(List<OutboxEntry> stored, List<OutboxEntry> added) {
            return stored.size() <= added.size() + 1
                    && stored.subList(0, Math.min(added.size(), stored.size())).equals(added);
        }

        private static OutboxRequest request() {
            return OutboxRequest.post("/v1/feed/posts").body("text/plain", Payload.of("x".repeat(10_000)));
        }

        private static List<OutboxEntry> all(Outbox outbox) {
            List<OutboxEntry> all = new ArrayList<>();
            for (Query query = new Query(null, null, "", 1_000); ; ) {
                Page page = outbox.list(query);
                all.addAll(page.entries());
                if (page.next().isEmpty()) {
                    return all;
                }
                query = query.after(page);
            }
        }
    }
}
