package dev.semel.bench.once;

import dev.semel.json.Fingerprint;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.TimeUnit;
import org.erdtman.jcs.JsonCanonicalizer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/** Computes a hash of the canonical form of a JSON payload. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Fingerprinting {

    private static final JsonMapper JACKSON =
            JsonMapper.builder().enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED).build();

    @Benchmark
    public Fingerprint semel(Payloads payloads) {
        return Fingerprint.ofJson(payloads.payload());
    }

    /** The reference implementation of RFC 8785 in Java. */
    @Benchmark
    public byte[] erdtman(Payloads payloads) throws IOException {
        return sha256(new JsonCanonicalizer(payloads.payload()).getEncodedUTF8());
    }

    /** Not RFC 8785, but common in applications: parse into a tree, write with sorted members. */
    @Benchmark
    public byte[] jacksonSortedTree(Payloads payloads) {
        JsonNode tree = JACKSON.readTree(payloads.payload());
        return sha256(JACKSON.writeValueAsBytes(tree));
    }

    private static byte[] sha256(byte[] text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }
}
