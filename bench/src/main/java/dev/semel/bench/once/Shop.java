package dev.semel.bench.once;

import dev.semel.document.DocumentCollection;
import dev.semel.document.Transaction;
import dev.semel.document.Transactions;
import dev.semel.id.IdSchemes;
import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.memory.MemoryStore;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Time;
import dev.semel.store.spi.DocumentStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The state of the benchmark: a store with payments. A store that kept all new keys would measure the garbage collector, which copies
 * them again and again; so each thread replaces the store after {@value #RENEWAL} new calls. Retries are for {@value #KNOWN} payments that
 * are made before each iteration.
 */
@State(Scope.Benchmark)
public class Shop {

    static final DocumentCollection PAYMENTS = DocumentCollection.of("payments", KeyTemplate.of("pay_{payment:tid62}"));

    private static final int KNOWN = 1024;
    private static final int RENEWAL = 5_000;
    private static final int USERS = 4096;
    private static final long FIRST_TEXT = 10_000_000_000L;
    private static final String ENDPOINT = "POST /payments";
    private static final long ENOUGH_BYTES = 64L << 30;

    /** The heartbeat timer references an engine for a sixth of a lease. Leases are short, so that replaced stores can be collected soon. */
    private static final OnceSettings SETTINGS =
            OnceSettings.DEFAULTS.withQuota(Quota.NONE).withLease(Duration.ofMillis(120));

    private static final String[] USER_NAMES =
            IntStream.range(0, USERS).mapToObj(i -> "user-" + i).toArray(String[]::new);

    volatile DocumentStore store = new MemoryStore();
    volatile Once once = Once.on(store);
    volatile Once onceWithQuota = once;
    volatile Transactions transactions = new Transactions(store, Time.system());
    Call[] known = {};

    /** The state of one thread: its payloads and counters. */
    @State(Scope.Thread)
    public static class Till {

        private final Payloads payloads = Payloads.ofSize(100);
        private final Fingerprint fingerprint = Fingerprint.ofJson(payloads.payload());
        private int written;
        private int next = (int) Thread.currentThread().getId() * 7919;

        byte[] payload() {
            return payloads.payload();
        }

        /** Replaces the store every {@value Shop#RENEWAL} calls. */
        Shop writingTo(Shop shop) {
            if (++written % RENEWAL == 0) {
                shop.renew();
            }
            return shop;
        }

        /** Returns a call with a new key. Its fingerprint was computed beforehand. */
        Call newCall() {
            String key = IdSchemes.TID62.mint();
            IdempotencyKey idempotencyKey = new IdempotencyKey(USER_NAMES[next++ & (USERS - 1)], ENDPOINT, key);
            return new Call(idempotencyKey, fingerprint, key, Duration.ZERO);
        }

        /** Returns a new text that is cheap to create. */
        String risingText() {
            return "pay-" + (FIRST_TEXT + next++);
        }

        /** Returns a completed call. */
        Call knownCall(Shop shop) {
            return shop.known[next++ & (KNOWN - 1)];
        }

        Response pay(Transaction tx) {
            byte[] payload = payload();
            PAYMENTS.createMinted(tx, Till::newKey, Json.of(payload));
            return response(payload);
        }

        static Response response(byte[] payload) {
            return Response.of(201, Map.of(), payload);
        }

        static String newKey() {
            return "pay_" + IdSchemes.TID62.mint();
        }
    }

    @Setup(Level.Iteration)
    public void open() {
        renew();
        Till till = new Till();
        known = new Call[KNOWN];
        for (int i = 0; i < KNOWN; i++) {
            known[i] = till.newCall();
            once.atomic(known[i], till::pay);
        }
    }

    private void renew() {
        store = new MemoryStore(InstantSource.system(), ENOUGH_BYTES);
        once = new Once(store, Time.system(), SETTINGS, OnceListener.NONE);
        OnceSettings withQuota = OnceSettings.DEFAULTS.withQuota(new Quota(1000, Duration.ofHours(1)));
        onceWithQuota = new Once(store, Time.system(), withQuota, OnceListener.NONE);
        transactions = new Transactions(store, Time.system());
    }
}
