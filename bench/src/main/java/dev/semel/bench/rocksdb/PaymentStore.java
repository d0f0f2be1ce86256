package dev.semel.bench.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.id.IdSchemes;
import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.record.Records;
import dev.semel.rocksdb.RocksDbSettings;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.store.OnceKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Time;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * An embedded store to which payments are made. Each is one call with a new key, of one of {@value #USERS} users; it creates one
 * document of about 100 bytes with one further key, and answers with as much.
 */
final class PaymentStore implements AutoCloseable {

    /** How many payments a customer makes while a store is filled. */
    static final int OF_A_CUSTOMER = 20;

    private static final int USERS = 4096;
    private static final String ENDPOINT = "POST /payments";

    private static final Records PAYMENTS = Records.of(
            "payments",
            KeyTemplate.of("{customer:hex}-{payment:tid62}"),
            KeyTemplate.of("{payment:tid62}-{customer:hex}"));

    private static final byte[] PAYLOAD =
            "{\"amount\":\"1299.00\",\"currency\":\"EUR\",\"reference\":\"invoice 2026-0815, due on receipt\",\"method\":\"sepa\"}"
                    .getBytes(UTF_8);

    private static final Fingerprint FINGERPRINT = Fingerprint.ofJson(PAYLOAD);
    private static final OnceSettings SETTINGS = OnceSettings.DEFAULTS.withQuota(Quota.NONE);

    private final RocksDbStore store;
    private final Once once;

    private PaymentStore(RocksDbStore store) {
        this.store = store;
        this.once = new Once(store, Time.system(), SETTINGS, OnceListener.NONE);
    }

    static PaymentStore open(Path folder, boolean synced) {
        return new PaymentStore(RocksDbStore.open(folder, RocksDbSettings.DEFAULTS.withSynced(synced), Time.system()));
    }

    /** A payment of somebody new. */
    void pay() {
        pay(newCall(), customer(ThreadLocalRandom.current().nextLong()));
    }

    /** One of the payments that fill a store. */
    void fill(long number) {
        pay(newCall(), customerOf(number));
    }

    void pay(Call call, String customer) {
        Outcome outcome = once.atomic(call, tx -> {
            PAYMENTS.create(tx, customer + "-" + IdSchemes.TID62.mint(), Json.of(PAYLOAD));
            return Response.of(201, Map.of(), PAYLOAD);
        });
        if (!(outcome instanceof Outcome.Executed)) {
            throw new IllegalStateException("Not executed: " + outcome);
        }
    }

    /** A call that was made before. */
    void repeat(Call call) {
        Outcome outcome = once.atomic(call, tx -> {
            throw new IllegalStateException("Executed again");
        });
        if (!(outcome instanceof Outcome.Replayed)) {
            throw new IllegalStateException("Not replayed: " + outcome);
        }
    }

    /** The payments of one who was there while the store was filled with so many. */
    void list(long filled) {
        long number = ThreadLocalRandom.current().nextLong(filled);
        int found = PAYMENTS.find(store, Map.of("customer", customerOf(number)), null, OF_A_CUSTOMER)
                .items()
                .size();
        if (found != Math.min(filled, OF_A_CUSTOMER)) {
            throw new IllegalStateException("Found " + found + " payments");
        }
    }

    static Call newCall() {
        String key = IdSchemes.TID62.mint();
        String user = "user-" + (USERS + ThreadLocalRandom.current().nextInt(USERS));
        return new Call(new OnceKey(user, ENDPOINT, key), FINGERPRINT, key, Duration.ZERO);
    }

    /** Those who pay while a store is filled come in no order. */
    private static String customerOf(long number) {
        return customer(number / OF_A_CUSTOMER * 0x9E3779B97F4A7C15L);
    }

    private static String customer(long number) {
        return String.format("%016x", number);
    }

    Map<String, Long> metrics() {
        return store.metrics();
    }

    @Override
    public void close() {
        store.close();
    }
}
