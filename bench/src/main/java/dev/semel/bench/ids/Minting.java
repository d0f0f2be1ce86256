package dev.semel.bench.ids;

import com.aventrix.jnanoid.jnanoid.NanoIdUtils;
import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.impl.TimeBasedEpochGenerator;
import com.github.f4b6a3.ksuid.KsuidCreator;
import com.github.f4b6a3.tsid.TsidCreator;
import com.github.f4b6a3.ulid.UlidCreator;
import com.github.f4b6a3.uuid.UuidCreator;
import de.fxlae.typeid.TypeId;
import dev.semel.id.IdSchemes;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/** Mints an id as a string. Peers are called as their documentation shows, with their secure default generator. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Minting {

    private static final TimeBasedEpochGenerator JUG_EPOCH = Generators.timeBasedEpochGenerator();

    @Benchmark
    public String tid62() {
        return IdSchemes.TID62.mint();
    }

    @Benchmark
    public String uuid4() {
        return IdSchemes.UUID4.mint();
    }

    @Benchmark
    public String uuid4s() {
        return IdSchemes.UUID4S.mint();
    }

    @Benchmark
    public String uuid464() {
        return IdSchemes.UUID464.mint();
    }

    @Benchmark
    public String uuid7() {
        return IdSchemes.UUID7.mint();
    }

    @Benchmark
    public String ulid() {
        return IdSchemes.ULID.mint();
    }

    @Benchmark
    public String ksuid() {
        return IdSchemes.KSUID.mint();
    }

    @Benchmark
    public String nanoid() {
        return IdSchemes.NANOID.mint();
    }

    @Benchmark
    public String typeid() {
        return IdSchemes.TYPEID.mint();
    }

    @Benchmark
    public String tsid() {
        return IdSchemes.TSID.mint();
    }

    @Benchmark
    public String jdkUuid4() {
        return UUID.randomUUID().toString();
    }

    @Benchmark
    public String uuidCreator4() {
        return UuidCreator.getRandomBased().toString();
    }

    @Benchmark
    public String uuidCreator7() {
        return UuidCreator.getTimeOrderedEpoch().toString();
    }

    @Benchmark
    public String javaUuidGenerator7() {
        return JUG_EPOCH.generate().toString();
    }

    @Benchmark
    public String ulidCreator() {
        return UlidCreator.getUlid().toString();
    }

    @Benchmark
    public String ulidCreatorMonotonic() {
        return UlidCreator.getMonotonicUlid().toString();
    }

    @Benchmark
    public String ksuidCreator() {
        return KsuidCreator.getKsuid().toString();
    }

    @Benchmark
    public String tsidCreator() {
        return TsidCreator.getTsid().toString();
    }

    @Benchmark
    public String jnanoid() {
        return NanoIdUtils.randomNanoId();
    }

    @Benchmark
    public String typeidJava() {
        return TypeId.generate().toString();
    }
}
