package dev.semel.id;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** All id schemes. Use {@link #TID62} unless there is a reason against it. */
public final class IdSchemes {

    private static final InstantSource CLOCK = InstantSource.system();
    private static final Randomness RANDOM = Randomness.secure();
    private static final List<IdScheme> ALL = new ArrayList<>();

    /** Seconds and 64 random bits in 17 letters and digits. Sorts by time. */
    public static final IdScheme TID62 = add(new Tid62Scheme(CLOCK, RANDOM));

    /** A random UUID in its usual form: 36 characters with hyphens. */
    public static final IdScheme UUID4 = add(new Uuid4Scheme("uuid4", UuidEncoding.CANONICAL, RANDOM));

    /** A random UUID in 32 hexadecimal digits, without hyphens. */
    public static final IdScheme UUID4S = add(new Uuid4Scheme("uuid4s", UuidEncoding.SIMPLE, RANDOM));

    /** A random UUID in 22 characters of base64url. */
    public static final IdScheme UUID464 = add(new Uuid4Scheme("uuid464", UuidEncoding.BASE64URL, RANDOM));

    /** A UUID that sorts by time, strictly within this process. */
    public static final IdScheme UUID7 = add(new Uuid7Scheme(CLOCK, RANDOM));

    /** 26 letters and digits that sort by time, strictly within this process. */
    public static final IdScheme ULID = add(new UlidScheme(CLOCK, RANDOM));

    /** A counted number in ten decimal digits. Anyone can guess the next one: not for public ids. */
    public static final IdScheme SEQ10 = add(new SequenceScheme("seq10", Alphabet.DECIMAL, 10));

    /** A counted number in seven digits of base 36. Anyone can guess the next one: not for public ids. */
    public static final IdScheme SEQ36 = add(new SequenceScheme("seq36", Alphabet.BASE36, 7));

    /** Seconds and 128 random bits in 27 letters and digits. Sorts by time. */
    public static final IdScheme KSUID = add(new KsuidScheme(CLOCK, RANDOM));

    /** 21 random letters, digits, hyphens and underscores. */
    public static final IdScheme NANOID = add(new NanoidScheme(RANDOM));

    /**
     * A UUID that sorts by time, strictly within this process, in 26 lower-case letters and digits. {@link IdScheme#prefixed} puts its type
     * and a {@code _} before it.
     */
    public static final IdScheme TYPEID = add(new TypeidScheme(CLOCK, RANDOM));

    /**
     * 64 bits in 13 letters and digits that sort by time, strictly within this process. Ids of several processes may collide, and an id
     * reveals those that were minted right after it: not for public ids.
     */
    public static final IdScheme TSID = add(new TsidScheme(CLOCK, RANDOM));

    /** A day and two or three letters. What is minted is a candidate that has to be allocated. */
    public static final DayNonceScheme DAY_NONCE = add(new DayNonceScheme(CLOCK, RANDOM));

    private IdSchemes() {}

    private static <S extends IdScheme> S add(S scheme) {
        ALL.add(scheme);
        return scheme;
    }

    /** Returns all schemes, in the order of this page. */
    public static List<IdScheme> all() {
        return Collections.unmodifiableList(ALL);
    }

    /** Returns the scheme with a given name. */
    public static Optional<IdScheme> named(String name) {
        return ALL.stream().filter(scheme -> scheme.name().equals(name)).findFirst();
    }
}
