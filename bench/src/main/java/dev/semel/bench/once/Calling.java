package dev.semel.bench.once;

import dev.semel.bench.once.Shop.Till;
import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.once.Call;
import dev.semel.once.Outcome;
import dev.semel.store.Document;
import dev.semel.store.IfAbandoned;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/** Makes calls on the memory store, which shows the cost of the engine. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(jvmArgsAppend = {"-XX:+UseParallelGC", "-Xms4g", "-Xmx4g", "-Xmn3g", "-XX:+AlwaysPreTouch"})
public class Calling {

    private static final Fingerprint OTHER = Fingerprint.ofJson("{}");

    @Benchmark
    public Outcome.Executed executedAtomic(Shop shop, Till till) {
        return (Outcome.Executed) till.writingTo(shop).once.atomic(till.newCall(), till::pay);
    }

    @Benchmark
    public Outcome.Executed executedAtomicWithQuota(Shop shop, Till till) {
        return (Outcome.Executed) till.writingTo(shop).onceWithQuota.atomic(till.newCall(), till::pay);
    }

    /** The operation does almost nothing: this is the cost of the claim, the lease and the completion. */
    @Benchmark
    public Outcome.Executed executedLeased(Shop shop, Till till) {
        return (Outcome.Executed) till.writingTo(shop)
                .once
                .leased(till.newCall(), IfAbandoned.RERUN, lease -> Till.response(till.payload()));
    }

    @Benchmark
    public Outcome.Replayed replayed(Shop shop, Till till) {
        return (Outcome.Replayed) shop.once.atomic(till.knownCall(shop), till::pay);
    }

    @Benchmark
    public Outcome.Mismatch mismatched(Shop shop, Till till) {
        Call known = till.knownCall(shop);
        return (Outcome.Mismatch)
                shop.once.atomic(new Call(known.key(), OTHER, known.clientTxId(), known.maxWait()), till::pay);
    }

    /** Creates the same document without an idempotency key. */
    @Benchmark
    public Document withoutKey(Shop shop, Till till) {
        return till.writingTo(shop)
                .transactions
                .run(tx -> Shop.PAYMENTS.createMinted(tx, Till::newKey, Json.of(till.payload())));
    }
}
