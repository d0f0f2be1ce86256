package dev.semel.bench.once;

import dev.semel.bench.once.Shop.Till;
import dev.semel.id.IdSchemes;
import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.once.Call;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import dev.semel.store.spi.OnceStore.Lookup;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/** Measures the parts of an executed call separately. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(jvmArgsAppend = {"-XX:+UseParallelGC", "-Xms4g", "-Xmx4g", "-Xmn3g", "-XX:+AlwaysPreTouch"})
public class Parts {

    private static final Instant CREATED_AT = Instant.parse("2026-03-01T12:34:56.789Z");
    private static final Fingerprint FINGERPRINT = Fingerprint.ofJson("{}");
    private static final Response RESPONSE = Response.of("Paid, and the receipt is on its way to you.");
    private static final Json DATA =
            Json.of("{\"payment\": \"0Nf3Qz8rYc1LmTbXa\", \"amount\": 12.34, \"currency\": \"EUR\"}");

    @Benchmark
    public Call call(Till till) {
        return till.newCall();
    }

    @Benchmark
    public Fingerprint fingerprint(Till till) {
        return Fingerprint.ofJson(till.payload());
    }

    @Benchmark
    public Lookup findHit(Shop shop, Till till) {
        return shop.store.find(till.knownCall(shop).key());
    }

    /** Includes the creation of the key. */
    @Benchmark
    public Lookup findMiss(Shop shop, Till till) {
        return shop.store.find(till.newCall().key());
    }

    @Benchmark
    public Json json(Till till) {
        return Json.of(till.payload());
    }

    @Benchmark
    public String documentKey() {
        return Shop.PAYMENTS.key().check("key", Till.newKey());
    }

    @Benchmark
    public String commitId() {
        return IdSchemes.TID62.mint();
    }

    /** Writes the rows of an executed call directly to the store. */
    @Benchmark
    public CommitResult commit(Shop shop, Till till) {
        String key = till.risingText();
        IdempotencyRecord record = IdempotencyRecord.builder(
                        new IdempotencyKey("user", "POST /payments", key), key, FINGERPRINT)
                .status(Status.COMPLETED)
                .createdAt(CREATED_AT)
                .response(RESPONSE)
                .build();
        DocumentId id = new DocumentId("payments", "", key);
        Document document = Document.created(id, CREATED_AT, null, DATA).withCommitId(key);
        return till.writingTo(shop)
                .store
                .commit(new Commit(
                        key,
                        new IdempotencyWrite(
                                Precondition.ABSENT, record, Duration.ofDays(1), Duration.ofDays(30), Quota.NONE),
                        Map.of(id, ""),
                        List.of(new DocumentWrite.Put(document, List.of()))));
    }
}
