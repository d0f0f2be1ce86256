package dev.semel.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.document.DocumentCollection;
import dev.semel.id.IdSchemes;
import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Time;
import dev.semel.store.spi.DocumentStore;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Makes payments on a store. Each is one call with a new key of one of {@value #USERS} users. It creates a document of about 100 bytes
 * with one index entry, and returns a response of the same size.
 */
public class Payments {

    /** Number of payments of each customer while a store is filled. */
    public static final int PER_CUSTOMER = 20;

    /** Number of users. It is also the number of the first user. */
    public static final int USERS = 4096;

    private static final String ENDPOINT = "POST /payments";

    private static final DocumentCollection PAYMENTS = DocumentCollection.of(
            "payments",
            KeyTemplate.of("{customer:hex}-{payment:tid62}"),
            KeyTemplate.of("{payment:tid62}-{customer:hex}"));

    private static final byte[] PAYLOAD =
            "{\"amount\":\"1299.00\",\"currency\":\"EUR\",\"reference\":\"invoice 2026-0815, due on receipt\",\"method\":\"sepa\"}"
                    .getBytes(UTF_8);

    private static final Fingerprint FINGERPRINT = Fingerprint.ofJson(PAYLOAD);
    private static final OnceSettings SETTINGS = OnceSettings.DEFAULTS.withQuota(Quota.NONE);

    private final DocumentStore store;
    private final Once once;

    /** @param store the store on which payments are made */
    public Payments(DocumentStore store) {
        this(store, SETTINGS.retention());
    }

    /** @param retention time for which responses are kept */
    public Payments(DocumentStore store, Duration retention) {
        this.store = store;
        this.once = new Once(store, Time.system(), SETTINGS.withRetention(retention), OnceListener.NONE);
    }

    /** Makes a payment of a new customer. */
    public final void pay() {
        pay(newCall(), newCustomer());
    }

    /** Makes a payment of a customer. */
    public final void pay(Call call, String customer) {
        Outcome outcome = once.atomic(call, tx -> {
            PAYMENTS.create(tx, customer + "-" + IdSchemes.TID62.mint(), Json.of(PAYLOAD));
            return Response.of(201, Map.of(), PAYLOAD);
        });
        if (!(outcome instanceof Outcome.Executed)) {
            throw new IllegalStateException("Not executed: " + outcome);
        }
    }

    /** Retries a completed call, and checks that it is replayed. */
    public final void retry(Call call) {
        Outcome outcome = once.atomic(call, tx -> {
            throw new IllegalStateException("Executed again");
        });
        if (!(outcome instanceof Outcome.Replayed)) {
            throw new IllegalStateException("Not replayed: " + outcome);
        }
    }

    /** Queries the payments of a customer, and checks their number. */
    public final void list(String customer, long made) {
        int found = PAYMENTS.find(store, Map.of("customer", customer), null, PER_CUSTOMER)
                .items()
                .size();
        if (found != made) {
            throw new IllegalStateException("Found " + found + " payments");
        }
    }

    /** Returns a call with a new key. */
    public static Call newCall() {
        return call(USERS + ThreadLocalRandom.current().nextInt(USERS), IdSchemes.TID62.mint());
    }

    /** Returns a user's call with a key. */
    public static Call call(int user, String key) {
        return new Call(new IdempotencyKey("user-" + user, ENDPOINT, key), FINGERPRINT, key, Duration.ZERO);
    }

    /** Returns a random customer. */
    public static String newCustomer() {
        return customer(ThreadLocalRandom.current().nextLong());
    }

    /** Returns the customer with a number. */
    public static String customer(long number) {
        return String.format("%016x", number);
    }

    /** Returns the payload of every payment, which is also its response. */
    public static byte[] payload() {
        return PAYLOAD.clone();
    }
}
