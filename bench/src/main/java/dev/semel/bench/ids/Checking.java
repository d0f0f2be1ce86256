package dev.semel.bench.ids;

import com.github.f4b6a3.ksuid.Ksuid;
import com.github.f4b6a3.tsid.Tsid;
import com.github.f4b6a3.ulid.Ulid;
import com.github.f4b6a3.uuid.alt.GUID;
import com.github.f4b6a3.uuid.util.UuidValidator;
import dev.semel.id.IdSchemes;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/** Checks whether a text is a valid id. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Checking {

    @Benchmark
    public boolean tid62(Samples samples) {
        return IdSchemes.TID62.isValid(samples.tid62());
    }

    @Benchmark
    public boolean uuid4(Samples samples) {
        return IdSchemes.UUID4.isValid(samples.uuid4());
    }

    @Benchmark
    public boolean uuid7(Samples samples) {
        return IdSchemes.UUID7.isValid(samples.uuid7());
    }

    @Benchmark
    public boolean ulid(Samples samples) {
        return IdSchemes.ULID.isValid(samples.ulid());
    }

    @Benchmark
    public boolean ksuid(Samples samples) {
        return IdSchemes.KSUID.isValid(samples.ksuid());
    }

    @Benchmark
    public boolean nanoid(Samples samples) {
        return IdSchemes.NANOID.isValid(samples.nanoid());
    }

    @Benchmark
    public boolean typeid(Samples samples) {
        return IdSchemes.TYPEID.isValid(samples.typeid());
    }

    @Benchmark
    public boolean tsid(Samples samples) {
        return IdSchemes.TSID.isValid(samples.tsid());
    }

    @Benchmark
    public boolean uuidCreator4(Samples samples) {
        return UuidValidator.isValid(samples.uuid4(), 4);
    }

    @Benchmark
    public boolean uuidCreatorGuid4(Samples samples) {
        return GUID.valid(samples.uuid4());
    }

    @Benchmark
    public boolean uuidCreator7(Samples samples) {
        return UuidValidator.isValid(samples.uuid7(), 7);
    }

    @Benchmark
    public boolean ulidCreator(Samples samples) {
        return Ulid.isValid(samples.ulid());
    }

    @Benchmark
    public boolean ksuidCreator(Samples samples) {
        return Ksuid.isValid(samples.ksuid());
    }

    @Benchmark
    public boolean tsidCreator(Samples samples) {
        return Tsid.isValid(samples.tsid());
    }
}
