package dev.semel.bench.rocksdb;

import dev.semel.bench.Payments;
import dev.semel.rocksdb.RocksDbSettings;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.store.Time;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** Payments on an embedded store. */
final class PaymentStore extends Payments implements AutoCloseable {

    private final RocksDbStore store;

    private PaymentStore(RocksDbStore store) {
        super(store);
        this.store = store;
    }

    static PaymentStore open(Path folder, boolean synced) {
        return new PaymentStore(RocksDbStore.open(folder, RocksDbSettings.DEFAULTS.withSynced(synced), Time.system()));
    }

    /** Makes one of the payments that fill a store. */
    void fill(long number) {
        pay(newCall(), customerOf(number));
    }

    /** Queries the payments of a random customer. */
    void list(long filled) {
        long number = ThreadLocalRandom.current().nextLong(filled);
        list(customerOf(number), Math.min(filled, PER_CUSTOMER));
    }

    /** Returns the customer of a payment. Successive customers have no order. */
    private static String customerOf(long number) {
        return customer(number / PER_CUSTOMER * 0x9E3779B97F4A7C15L);
    }

    Map<String, Long> metrics() {
        return store.metrics();
    }

    @Override
    public void close() {
        store.close();
    }
}
