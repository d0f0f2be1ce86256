package dev.semel.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.DocumentStore.Scan;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.Eventually;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Prefix filters hide no row, in memory or in tables, for keys and prefixes of any length. */
class ScanTest {

    private static final int DOCUMENTS = 4_000;
    private static final int SCANS = 1_000;
    private static final int LONGEST_KEY = 40;

    private final ControlledTime time = new ControlledTime();
    private final Random random = new Random(20);

    @TempDir
    private Path folder;

    @Test
    void scansOfAnyPrefix_findAllThatIsThere() {
        try (RocksDbStore store = RocksDbStore.open(
                folder.resolve("data"),
                RocksDbSettings.DEFAULTS.withMemoryBytes(16 << 20).withSynced(false),
                time)) {
            NavigableSet<String> keys = new TreeSet<>();
            for (int i = 0; i < DOCUMENTS; i++) {
                String key = key(keys);
                keys.add(key);
                write(store, key, i);
            }
            Eventually.assertHolds(
                    () -> assertThat(store.metrics().get("flush.bytes")).isPositive());
            for (int i = 0; i < SCANS; i++) {
                String prefix = prefix(keys);
                boolean descending = random.nextBoolean();
                assertThat(found(store, prefix, descending))
                        .as("what begins with %s", prefix)
                        .isEqualTo(expected(keys, prefix, descending));
            }
        }
    }

    /** Many keys share a prefix, some are prefixes of others, and some are shorter than the prefixes in filters. */
    private String key(NavigableSet<String> keys) {
        String beginning = keys.isEmpty() || random.nextInt(4) == 0 ? "" : prefix(keys);
        StringBuilder key = new StringBuilder(beginning);
        for (int more = 1 + random.nextInt(LONGEST_KEY - Math.min(LONGEST_KEY - 1, key.length())); more > 0; more--) {
            key.append("!a~".charAt(random.nextInt(3)));
        }
        return key.toString();
    }

    private String prefix(NavigableSet<String> keys) {
        String near = keys.ceiling(String.valueOf("!a~".charAt(random.nextInt(3))) + (char) ('!' + random.nextInt(90)));
        String key = near == null ? keys.first() : near;
        return key.substring(0, 1 + random.nextInt(key.length()));
    }

    private void write(RocksDbStore store, String key, int number) {
        Instant now = time.instant();
        Json data = Json.of("\"" + Long.toHexString(random.nextLong()).repeat(50) + "\"");
        Document document = new Document(id(key), 1, now, now, null, data, "writer", 0);
        store.commit(
                new Commit("commit-" + number, null, Map.of(), List.of(new DocumentWrite.Put(document, List.of()))));
    }

    private static DocumentId id(String key) {
        return new DocumentId("c", "", key);
    }

    private static List<String> found(RocksDbStore store, String prefix, boolean descending) {
        Scan scan = new Scan("c", "", "", KeyRange.ofPrefix(prefix), "", DOCUMENTS, descending);
        return store.scan(scan).stream().map(Document::key).toList();
    }

    private static List<String> expected(NavigableSet<String> keys, String prefix, boolean descending) {
        List<String> expected = new ArrayList<>();
        for (String key : keys.tailSet(prefix)) {
            if (!key.startsWith(prefix)) {
                break;
            }
            expected.add(key);
        }
        if (descending) {
            Collections.reverse(expected);
        }
        return expected;
    }
}
