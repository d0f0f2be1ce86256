package dev.semel.testkit.crash;

import dev.semel.document.DocumentCollection;
import dev.semel.document.Transaction;
import dev.semel.id.IdSchemes;
import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.once.Call;
import dev.semel.once.Once.AtomicOperation;
import dev.semel.store.Document;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Response;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.OnceStore;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/** The operations of a crash run, numbered from 1. Each is determined by the seed, its number and the interfaces of the store. */
final class Workload {

    static final int BUCKETS = 4;

    static final KeyTemplate EFFECT_KEY = KeyTemplate.of("{id:tid62}-{number:seq10}");
    static final KeyTemplate EFFECT_BY_NUMBER = KeyTemplate.of("{number:seq10}-{id:tid62}");
    static final DocumentCollection EFFECTS = DocumentCollection.of("effects", EFFECT_KEY, EFFECT_BY_NUMBER);
    static final DocumentCollection COUNTERS = DocumentCollection.of("counters", KeyTemplate.of("{bucket:word}"));

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final long seed;
    private final boolean hasDocuments;

    Workload(long seed, OnceStore store) {
        this.seed = seed;
        this.hasDocuments = store instanceof DocumentStore;
    }

    /** Returns the kind of an operation. On a document store three of five are atomic, the others are leased. */
    Kind kind(long number) {
        int drawn = random(number).nextInt(5);
        if (hasDocuments && drawn < 3) {
            return Kind.ATOMIC;
        }
        return drawn % 2 == 0 ? Kind.FREEZE : Kind.RERUN;
    }

    /** Returns the number of the counter that an atomic operation increments. */
    int bucket(long number) {
        SplittableRandom random = random(number);
        random.nextInt();
        return random.nextInt(BUCKETS);
    }

    private SplittableRandom random(long number) {
        return new SplittableRandom(seed * 0x9E3779B97F4A7C15L + number);
    }

    static IdempotencyKey key(long number) {
        return new IdempotencyKey("crash", "POST /operations", "operation-" + number);
    }

    Call call(long number) {
        return Call.of(key(number), Fingerprint.ofJson("{\"number\":" + number + ",\"kind\":\"" + kind(number) + "\"}"))
                .waiting(PATIENCE);
    }

    /** Returns an operation that creates a document with a new key, increments a counter, and responds with the key. */
    AtomicOperation atomic(long number) {
        int bucket = bucket(number);
        return tx -> {
            String suffix = String.format(Locale.ROOT, "-%010d", number);
            Document effect = EFFECTS.createMinted(tx, () -> IdSchemes.TID62.mint() + suffix, data(number));
            increase(tx, counter(bucket));
            return Response.of(effect.key());
        };
    }

    Json data(long number) {
        return Json.of("{\"number\":" + number + ",\"bucket\":" + bucket(number) + "}");
    }

    static String counter(int bucket) {
        return "bucket" + bucket;
    }

    private static void increase(Transaction tx, String counter) {
        Optional<Document> before = COUNTERS.read(tx, counter);
        if (before.isEmpty()) {
            COUNTERS.create(tx, counter, Json.of("1"));
        } else {
            Document current = before.get();
            COUNTERS.update(tx, counter, current.version(), Json.of(Long.toString(count(current) + 1)));
        }
    }

    static long count(Document counter) {
        return Long.parseLong(counter.data().text());
    }

    /** Returns the number of the operation that created a document. */
    static long number(Document effect) {
        Map<String, String> parts = EFFECT_KEY.parse(effect.key());
        return Long.parseLong(parts.getOrDefault("number", ""));
    }
}
