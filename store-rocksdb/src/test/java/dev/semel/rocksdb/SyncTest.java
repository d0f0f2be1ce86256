package dev.semel.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.document.DocumentCollection;
import dev.semel.document.Transactions;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.store.Time;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Acknowledged commits survive a power failure: RocksDB's counters show a sync before each acknowledgement. Killing the process would not
 * prove this, since the operating system keeps unsynced writes.
 */
class SyncTest {

    private static final DocumentCollection RECORDS = DocumentCollection.of("records", KeyTemplate.of("{id:word}"));
    private static final int COMMITS = 100;
    private static final int CALLERS = 16;

    @TempDir
    private Path folder;

    private static long syncs(RocksDbStore store) {
        return store.metrics().getOrDefault("log.syncs", 0L);
    }

    private static void commit(Transactions transactions, String key) {
        transactions.run(tx -> RECORDS.create(tx, key, Json.of("1")));
    }

    private void commitOneByOne(RocksDbSettings settings) {
        try (RocksDbStore store = RocksDbStore.open(folder, settings, Time.system())) {
            Transactions transactions = new Transactions(store, Time.system());
            for (int i = 0; i < COMMITS; i++) {
                long before = syncs(store);
                commit(transactions, "key" + i);
                assertThat(syncs(store)).as("syncs after commit " + i).isGreaterThan(before);
            }
        }
    }

    private void commitAtOnce(RocksDbSettings settings) throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
        try (RocksDbStore store = RocksDbStore.open(folder, settings, Time.system())) {
            Transactions transactions = new Transactions(store, Time.system());
            long before = syncs(store);
            List<Future<?>> calls = new ArrayList<>();
            for (int i = 0; i < CALLERS * COMMITS; i++) {
                String key = "key" + i;
                calls.add(callers.submit(() -> commit(transactions, key)));
            }
            for (Future<?> call : calls) {
                call.get();
            }
            Map<String, Long> metrics = store.metrics();
            assertThat(metrics).containsEntry("commits", (long) CALLERS * COMMITS);
            long groups = metrics.getOrDefault("groups", 0L);
            assertThat(groups).isPositive().isLessThanOrEqualTo(CALLERS * COMMITS);
            assertThat(syncs(store) - before)
                    .as("syncs of " + groups + " groups")
                    .isGreaterThanOrEqualTo(groups);
        } finally {
            callers.shutdownNow();
        }
    }

    @Test
    void commitsOneByOne_areEachSyncedBeforeTheyAreAcknowledged() {
        commitOneByOne(RocksDbSettings.DEFAULTS);
    }

    @Test
    void commitsAtOnce_areSyncedGroupByGroup() throws Exception {
        commitAtOnce(RocksDbSettings.DEFAULTS);
    }

    @Test
    void storeThatDoesNotSync_isShownByTheCounters() {
        RocksDbSettings unsynced = RocksDbSettings.DEFAULTS.withSynced(false);
        assertThatThrownBy(() -> commitOneByOne(unsynced)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> commitAtOnce(unsynced)).isInstanceOf(AssertionError.class);
    }
}
