package dev.semel.bench.ids;

import com.github.f4b6a3.ksuid.Ksuid;
import com.github.f4b6a3.tsid.Tsid;
import com.github.f4b6a3.ulid.Ulid;
import com.github.f4b6a3.uuid.UuidCreator;
import com.github.f4b6a3.uuid.alt.GUID;
import de.fxlae.typeid.TypeId;
import dev.semel.id.IdScheme.ParsedId;
import dev.semel.id.IdSchemes;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/** Parses an id from its text. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Reading {

    @Benchmark
    public ParsedId tid62(Samples samples) {
        return IdSchemes.TID62.parse(samples.tid62());
    }

    @Benchmark
    public ParsedId uuid4(Samples samples) {
        return IdSchemes.UUID4.parse(samples.uuid4());
    }

    @Benchmark
    public ParsedId uuid7(Samples samples) {
        return IdSchemes.UUID7.parse(samples.uuid7());
    }

    @Benchmark
    public ParsedId ulid(Samples samples) {
        return IdSchemes.ULID.parse(samples.ulid());
    }

    @Benchmark
    public ParsedId ksuid(Samples samples) {
        return IdSchemes.KSUID.parse(samples.ksuid());
    }

    @Benchmark
    public ParsedId nanoid(Samples samples) {
        return IdSchemes.NANOID.parse(samples.nanoid());
    }

    @Benchmark
    public ParsedId typeid(Samples samples) {
        return IdSchemes.TYPEID.parse(samples.typeid());
    }

    @Benchmark
    public ParsedId tsid(Samples samples) {
        return IdSchemes.TSID.parse(samples.tsid());
    }

    @Benchmark
    public UUID jdkUuid4(Samples samples) {
        return UUID.fromString(samples.uuid4());
    }

    @Benchmark
    public UUID uuidCreator4(Samples samples) {
        return UuidCreator.fromString(samples.uuid4());
    }

    @Benchmark
    public GUID uuidCreatorGuid4(Samples samples) {
        return new GUID(samples.uuid4());
    }

    @Benchmark
    public UUID uuidCreator7(Samples samples) {
        return UuidCreator.fromString(samples.uuid7());
    }

    @Benchmark
    public Ulid ulidCreator(Samples samples) {
        return Ulid.from(samples.ulid());
    }

    @Benchmark
    public Ksuid ksuidCreator(Samples samples) {
        return Ksuid.from(samples.ksuid());
    }

    @Benchmark
    public TypeId typeidJava(Samples samples) {
        return TypeId.parse(samples.typeid());
    }

    @Benchmark
    public Tsid tsidCreator(Samples samples) {
        return Tsid.from(samples.tsid());
    }
}
