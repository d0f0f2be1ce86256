package dev.semel.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.DocumentCollection;
import dev.semel.document.Transactions;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.key.KeyTemplate;
import dev.semel.store.admin.Sweeper;
import dev.semel.testkit.ControlledTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Use of memory and disk, according to RocksDB's metrics. */
class SpaceTest {

    private static final DocumentCollection NOTES = DocumentCollection.of(
            "notes", KeyTemplate.of("{folder:hex}-{id:word}"), KeyTemplate.of("{id:word}-{folder:hex}"));
    private static final long MEMORY = 16L << 20;

    /** RocksDB exceeds the limit briefly during flushes and reads. */
    private static final long MOST_MEMORY = MEMORY * 3 / 2;

    @TempDir
    private Path folder;

    private final ControlledTime time = new ControlledTime();

    private RocksDbStore open() {
        return RocksDbStore.open(
                folder.resolve("data"),
                RocksDbSettings.DEFAULTS.withMemoryBytes(MEMORY).withSynced(false),
                time);
    }

    private static Json note(int bytes) {
        return Json.of("\"" + "x".repeat(bytes) + "\"");
    }

    private static long metric(RocksDbStore store, String name) {
        return Objects.requireNonNull(store.metrics().get(name), name);
    }

    @Test
    void muchMoreDataThanMemory_isWrittenAndRead_withinTheMemory() {
        int notes = 8_000;
        Json data = note(10_000);
        try (RocksDbStore store = open()) {
            Transactions transactions = new Transactions(store, time);
            for (int i = 0; i < notes; i++) {
                String key = "0a-n" + i;
                transactions.run(tx -> NOTES.create(tx, key, data));
                if (i % 100 == 0) {
                    assertThat(metric(store, "memory.bytes")).isLessThan(MOST_MEMORY);
                    assertThat(metric(store, "memory.buffers.bytes")).isLessThan(MOST_MEMORY);
                }
            }
            assertThat(metric(store, "log.bytes")).isGreaterThan(4 * MEMORY);
            for (int i = 0; i < notes; i++) {
                assertThat(NOTES.read(store, "0a-n" + i)).isPresent();
                if (i % 100 == 0) {
                    assertThat(metric(store, "memory.bytes")).isLessThan(MOST_MEMORY);
                }
            }
            assertThat(metric(store, "cache.misses")).isPositive();
        }
    }

    @Test
    void sweptDocuments_freeTheirSpace() {
        int notes = 12_000;
        try (RocksDbStore store = open()) {
            Transactions transactions = new Transactions(store, time);
            for (int i = 0; i < notes; i++) {
                String key = "0a-old" + i;
                // random, since repeated data compresses well
                Json data = Json.of("\"" + java.util.UUID.randomUUID() + java.util.UUID.randomUUID() + "\"");
                transactions.run(tx -> NOTES.create(tx, key, data, Duration.ofHours(1)));
            }
            transactions.run(tx -> NOTES.create(tx, "0a-kept", note(10)));
        }
        try (RocksDbStore store = open()) {
            long before = metric(store, "disk.bytes");
            time.advance(Duration.ofHours(2));
            new Sweeper(store.admin(), time).sweep();
            assertThat(metric(store, "swept")).isEqualTo(2 * notes + 1); // documents, and commit log entries
            assertThat(before).isGreaterThan(1_000_000);
            assertThat(metric(store, "disk.bytes")).isLessThan(before / 20);
            assertThat(NOTES.scan(store, KeyRange.ofPrefix(""), null, 10).items())
                    .hasSize(1);
            assertThat(NOTES.find(store, Map.of("id", "kept"), null, 10).items())
                    .hasSize(1);
        }
    }
}
