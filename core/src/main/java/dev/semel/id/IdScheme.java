package dev.semel.id;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One way to make ids: a layout of up to 128 bits and one spelling of them.
 *
 * <p>For every scheme:
 *
 * <ul>
 *   <li>{@link #isValid} never throws and agrees with {@link #parse} on every input;
 *   <li>only the canonical spelling is valid, so {@code parse(text).text()} is {@code text};
 *   <li>random bits are secure and uniform;
 *   <li>all methods may be called by any number of threads at once, and none of them waits for another.
 * </ul>
 *
 * <p>The schemes are listed in {@link IdSchemes}.
 */
public abstract class IdScheme implements IdFormat {

    /** The most characters that a prefix has. */
    public static final int LONGEST_PREFIX = 64;

    private final String name;
    private final String alphabet;
    private final int minLength;
    private final int maxLength;

    IdScheme(String name, String alphabet, int minLength, int maxLength) {
        this.name = name;
        this.alphabet = alphabet;
        this.minLength = minLength;
        this.maxLength = maxLength;
    }

    /**
     * Makes a new id.
     *
     * @throws ExhaustedException if the scheme has none left: past its {@link #lifetime()}
     */
    public abstract String mint();

    /**
     * Makes a new id that carries a given time, for tests and for back-filling old data. Such ids are not ordered among
     * themselves within the scheme's unit of time. A scheme that holds no time ignores it.
     *
     * @throws ExhaustedException if the time is outside the scheme's {@link #lifetime()}
     */
    public String mintAt(Instant time) {
        Objects.requireNonNull(time);
        return mint();
    }

    /**
     * Reads an id.
     *
     * @throws MalformedException if the text is not an id of this scheme
     */
    public final ParsedId parse(@Nullable String text) {
        ParsedId id = text == null ? null : decode(text);
        if (id == null) {
            check(name, text);
            throw new AssertionError("invalid without a fault");
        }
        return id;
    }

    @Override
    public final boolean isValid(@Nullable String text) {
        return text != null && decode(text) != null;
    }

    @Override
    public final @Nullable Fault fault(@Nullable String text) {
        if (text == null) {
            return Fault.missing();
        }
        return decode(text) == null ? explain(text) : null;
    }

    /** What is wrong with a text that is no id. */
    Fault explain(String text) {
        if (text.length() < minLength || text.length() > maxLength) {
            return Fault.ofLength(text);
        }
        for (int i = 0; i < text.length(); i++) {
            if (alphabet.indexOf(text.charAt(i)) < 0) {
                return Fault.ofCharacter(text, i);
            }
        }
        return layoutFault(text);
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final String alphabet() {
        return alphabet;
    }

    @Override
    public final int minLength() {
        return minLength;
    }

    @Override
    public final int maxLength() {
        return maxLength;
    }

    /** What an id of this scheme is, in a few words. */
    public abstract String summary();

    /** Whether ids that were minted later sort later, as text and as bytes, at least by the scheme's unit of time. */
    public abstract boolean isSortable();

    /** How many bits of each minted id are drawn fresh at random: what guessing it, or meeting it by chance, is up against. */
    public abstract int randomBits();

    /** How long the scheme can go on minting. */
    public Lifetime lifetime() {
        return new Lifetime.Endless();
    }

    /** This scheme on another clock, with an order of its own. A scheme that reads no clock returns itself. */
    public IdScheme withClock(InstantSource clock) {
        Objects.requireNonNull(clock);
        return this;
    }

    /** Whether ids are counted: minted from the numbers of a sequence, and so easy to guess. */
    public boolean isCounted() {
        return false;
    }

    /**
     * This scheme with its numbers drawn from a sequence, such as a {@code StoredSequence}. A counted scheme without a sequence checks
     * and reads ids, but does not mint them; a scheme that does not count returns itself.
     *
     * @param numbers returns a higher number with each call, from 1 on
     */
    public IdScheme drawingFrom(LongSupplier numbers) {
        Objects.requireNonNull(numbers);
        return this;
    }

    /**
     * This scheme behind a prefix: {@code user-…}.
     *
     * @param prefix 1 to {@value #LONGEST_PREFIX} of {@code A-Za-z0-9_}; a prefix never holds a {@code -}, so the first one ends it
     * @throws MalformedException if the prefix is none
     */
    public IdScheme prefixed(String prefix) {
        return new PrefixedScheme(prefix, this);
    }

    /** The id that a text spells, or null where it spells none. */
    abstract @Nullable ParsedId decode(String text);

    /** What is wrong with a text whose length and characters are right, but which is no id. */
    abstract Fault layoutFault(String text);

    /** Spells an id. */
    abstract String text(long high, long low);

    /** The time that an id holds. */
    @Nullable Instant time(long high, long low) {
        return null;
    }

    /** The version that an id holds, or -1. */
    int version() {
        return -1;
    }

    /** The number that an id holds, or -1. */
    long number(long low) {
        return -1;
    }

    /** The random field of an id as people may read it; empty where there is none. */
    String random(long high, long low) {
        return "";
    }

    /** What a clock says, or that the scheme has no id for a time so far off. */
    static long millis(String scheme, InstantSource clock, Lifetime lifetime) {
        try {
            return clock.millis();
        } catch (ArithmeticException e) {
            throw new ExhaustedException(scheme, clock.instant(), lifetime);
        }
    }

    /** The lowest bits of a number, in as many hexadecimal digits as they need. */
    static String hex(long high, long low, int bits) {
        String digits = String.format("%016x%016x", high, low);
        return digits.substring(digits.length() - (bits + 3) / 4);
    }

    @Override
    public String toString() {
        return name;
    }

    /** How long a scheme can go on minting. */
    public sealed interface Lifetime {

        /** There is no end to it. */
        record Endless() implements Lifetime {
            @Override
            public String toString() {
                return "endless";
            }
        }

        /** From the first instant to the last, both included. */
        record Between(Instant first, Instant last) implements Lifetime {
            @Override
            public String toString() {
                return year(first) + " to " + year(last);
            }

            private static String year(Instant time) {
                String iso = time.toString();
                return iso.substring(iso.startsWith("+") ? 1 : 0, iso.indexOf('-', 1));
            }
        }

        /** Numbers up to the last, included. */
        record Numbers(long last) implements Lifetime {
            @Override
            public String toString() {
                return String.format(Locale.ROOT, "%,d ids", last);
            }
        }
    }

    /** What a valid id holds. Equal if the scheme's name and the id are. */
    public static final class ParsedId {

        private final IdScheme scheme;
        private final long high;
        private final long low;

        ParsedId(IdScheme scheme, long high, long low) {
            this.scheme = scheme;
            this.high = high;
            this.low = low;
        }

        /** The scheme that read the id. */
        public IdScheme scheme() {
            return scheme;
        }

        /** The id as it is spelled. */
        public String text() {
            return scheme.text(high, low);
        }

        /** When the id was minted, as far as it says: to the second, millisecond or day. */
        public Optional<Instant> time() {
            return Optional.ofNullable(scheme.time(high, low));
        }

        /** The version of a UUID. */
        public OptionalInt version() {
            return scheme.version() < 0 ? OptionalInt.empty() : OptionalInt.of(scheme.version());
        }

        /** The number of an id that was counted. */
        public OptionalLong number() {
            long number = scheme.number(low);
            return number < 0 ? OptionalLong.empty() : OptionalLong.of(number);
        }

        /** The random field: in hexadecimal digits, or in letters where the scheme draws letters. */
        public Optional<String> random() {
            String random = scheme.random(high, low);
            return random.isEmpty() ? Optional.empty() : Optional.of(random);
        }

        /** The same 128 bits as the JDK knows them, where the id is a UUID. */
        public Optional<UUID> uuid() {
            return scheme.version() < 0 ? Optional.empty() : Optional.of(new UUID(high, low));
        }

        long high() {
            return high;
        }

        long low() {
            return low;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ParsedId that
                    && high == that.high
                    && low == that.low
                    && scheme.name().equals(that.scheme.name());
        }

        @Override
        public int hashCode() {
            return 31 * (31 * scheme.name().hashCode() + Long.hashCode(high)) + Long.hashCode(low);
        }

        @Override
        public String toString() {
            return text();
        }
    }

    /** A scheme has no id left to give: its time or its numbers are over, or the clock is set to where it has none. */
    public static final class ExhaustedException extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        ExhaustedException(String scheme, Object asked, Lifetime lifetime) {
            super(scheme + " has no id for " + asked + "; its lifetime is " + lifetime);
        }
    }
}
