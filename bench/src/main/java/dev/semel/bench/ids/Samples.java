package dev.semel.bench.ids;

import dev.semel.id.IdSchemes;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Valid ids of each scheme, too many for a branch predictor to learn. */
@State(Scope.Thread)
public class Samples {

    private static final int COUNT = 4096;

    private final String[] tid62 = sample(IdSchemes.TID62::mint);
    private final String[] uuid4 = sample(IdSchemes.UUID4::mint);
    private final String[] uuid7 = sample(IdSchemes.UUID7::mint);
    private final String[] ulid = sample(IdSchemes.ULID::mint);
    private final String[] ksuid = sample(IdSchemes.KSUID::mint);
    private final String[] nanoid = sample(IdSchemes.NANOID::mint);
    private final String[] typeid = sample(IdSchemes.TYPEID::mint);
    private final String[] tsid = sample(IdSchemes.TSID::mint);
    private int next;

    private static String[] sample(Supplier<String> minting) {
        return Stream.generate(minting).limit(COUNT).toArray(String[]::new);
    }

    private int index() {
        return next++ & COUNT - 1;
    }

    String tid62() {
        return tid62[index()];
    }

    String uuid4() {
        return uuid4[index()];
    }

    String uuid7() {
        return uuid7[index()];
    }

    String ulid() {
        return ulid[index()];
    }

    String ksuid() {
        return ksuid[index()];
    }

    String nanoid() {
        return nanoid[index()];
    }

    String typeid() {
        return typeid[index()];
    }

    String tsid() {
        return tsid[index()];
    }
}
