package dev.semel.bench.once;

import dev.semel.id.IdSchemes;
import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.record.Records;
import dev.semel.store.MemoryStore;
import dev.semel.store.OnceKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Store;
import dev.semel.store.Time;
import dev.semel.store.Transaction;
import dev.semel.store.Transactions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * A shop that takes payments. New keys fill the memory, so each iteration begins with a new store, in which {@value #KNOWN}
 * payments are made already.
 */
@State(Scope.Benchmark)
public class Shop {

    static final Records PAYMENTS = Records.of("payments", KeyTemplate.of("pay_{payment:tid62}"));

    private static final int KNOWN = 1024;
    private static final int USERS = 4096;
    private static final long FIRST_TEXT = 10_000_000_000L;
    private static final String ENDPOINT = "POST /payments";
    private static final long ENOUGH_BYTES = 64L << 30;
    private static final OnceSettings SETTINGS = OnceSettings.DEFAULTS.withQuota(Quota.NONE);
    private static final String[] USER_NAMES =
            IntStream.range(0, USERS).mapToObj(i -> "user-" + i).toArray(String[]::new);

    Store store = new MemoryStore();
    Once once = Once.on(store);
    Once onceWithQuota = once;
    Transactions transactions = new Transactions(store, Time.system());
    Call[] known = {};

    /** What comes in at one till: payloads to pay with, and whose turn it is. */
    @State(Scope.Thread)
    public static class Till {

        private final Payloads payloads = Payloads.ofSize(100);
        private final Fingerprint fingerprint = Fingerprint.ofJson(payloads.payload());
        private int next = (int) Thread.currentThread().getId() * 7919;

        byte[] payload() {
            return payloads.payload();
        }

        /** A call with a key that was never there. Its payload's fingerprint is taken elsewhere. */
        Call newCall() {
            String key = IdSchemes.TID62.mint();
            OnceKey onceKey = new OnceKey(USER_NAMES[next++ & (USERS - 1)], ENDPOINT, key);
            return new Call(onceKey, fingerprint, key, Duration.ZERO);
        }

        /** A text that was never there, made with as little effort as can be. */
        String risingText() {
            return "pay-" + (FIRST_TEXT + next++);
        }

        /** A call that was made before. */
        Call knownCall(Shop shop) {
            return shop.known[next++ & (KNOWN - 1)];
        }

        Response pay(Transaction tx) {
            byte[] payload = payload();
            PAYMENTS.createMinted(tx, Till::newKey, Json.of(payload));
            return answer(payload);
        }

        static Response answer(byte[] payload) {
            return Response.of(201, Map.of(), payload);
        }

        static String newKey() {
            return "pay_" + IdSchemes.TID62.mint();
        }
    }

    @Setup(Level.Iteration)
    public void open() {
        store = new MemoryStore(InstantSource.system(), ENOUGH_BYTES);
        once = new Once(store, Time.system(), SETTINGS, OnceListener.NONE);
        onceWithQuota = new Once(store, Time.system(), OnceSettings.DEFAULTS, OnceListener.NONE);
        transactions = new Transactions(store, Time.system());
        Till till = new Till();
        known = new Call[KNOWN];
        for (int i = 0; i < KNOWN; i++) {
            known[i] = till.newCall();
            once.atomic(known[i], till::pay);
        }
    }
}
