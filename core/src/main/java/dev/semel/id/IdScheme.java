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
 * A scheme of ids: a layout of up to 160 bits and one encoding of them as text. {@link IdSchemes} lists all schemes.
 *
 * <p>Every scheme guarantees:
 *
 * <ul>
 *   <li>{@link #isValid} never throws, and agrees with {@link #parse} on every input.
 *   <li>Only the canonical encoding is valid, so {@code parse(text).text()} equals {@code text}.
 *   <li>Random bits are secure and uniform.
 *   <li>All methods may be called by any number of threads at once, and take no lock.
 * </ul>
 */
public abstract class IdScheme implements IdFormat {

    /** The most characters of a prefix. */
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
     * Mints an id.
     *
     * @throws ExhaustedException if the scheme is beyond its {@link #lifetime()}
     */
    public abstract String mint();

    /**
     * Mints an id with a given time, for tests and for importing old data. Ids with the same time are not ordered among themselves. A
     * scheme without a time ignores it.
     *
     * @throws ExhaustedException if the time is outside the scheme's {@link #lifetime()}
     */
    public String mintAt(Instant time) {
        Objects.requireNonNull(time);
        return mint();
    }

    /**
     * Parses an id.
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

    /** Returns the fault of a text that is not an id of this scheme. */
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

    /** Describes an id of this scheme in a few words. */
    public abstract String summary();

    /** Whether ids sort by the time they were minted, as text and as bytes, at the precision of the scheme. */
    public abstract boolean isSortable();

    /** Returns the number of random bits of an id, which decides how hard it is to guess and how likely two ids collide. */
    public abstract int randomBits();

    /** Returns how long the scheme can mint ids. */
    public Lifetime lifetime() {
        return new Lifetime.Endless();
    }

    /** Returns this scheme on another clock, ordered independently of this one. A scheme without a clock returns itself. */
    public IdScheme withClock(InstantSource clock) {
        Objects.requireNonNull(clock);
        return this;
    }

    /** Whether ids are counted: minted from the numbers of a sequence, and so easy to guess. */
    public boolean isCounted() {
        return false;
    }

    /**
     * Returns this scheme with its numbers drawn from a sequence, such as a {@code StoredSequence}. A counted scheme without a sequence
     * checks and parses ids, but cannot mint them. A scheme that does not count returns itself.
     *
     * @param numbers returns a higher number with each call, from 1 on
     */
    public IdScheme drawingFrom(LongSupplier numbers) {
        Objects.requireNonNull(numbers);
        return this;
    }

    /**
     * Returns this scheme behind a prefix: {@code user-…}. A {@code typeid} follows a {@code _} instead.
     *
     * @param prefix 1 to {@value #LONGEST_PREFIX} of {@code A-Za-z0-9_}. It never contains a {@code -}, so the first one ends it. For
     *     {@code typeid} 1 to 63 of {@code a-z_}, with a letter at both ends; the last {@code _} ends it
     * @throws MalformedException if the prefix is malformed
     */
    public final IdScheme prefixed(String prefix) {
        Fault fault = prefixFault(prefix);
        if (fault != null) {
            throw new MalformedException("prefix", prefix, fault, expectedPrefix());
        }
        return new PrefixedScheme(prefix, this);
    }

    /** Returns the prefix of a text, if it begins with one and the separator of {@link #prefixed} ids. What follows may be anything. */
    public final Optional<String> prefixOf(String text) {
        int end = prefixEnd(text);
        return end > 0 && prefixFault(text.substring(0, end)) == null
                ? Optional.of(text.substring(0, end))
                : Optional.empty();
    }

    /** Returns the index of the separator that ends the prefix of a text, or -1. */
    int prefixEnd(String text) {
        return text.indexOf(separator());
    }

    /** Returns the character between a prefix and an id. */
    char separator() {
        return '-';
    }

    /** Returns what is wrong with a prefix; null if it is valid. */
    @Nullable Fault prefixFault(@Nullable String prefix) {
        Fault fault = TextFormat.WORD.fault(prefix);
        return fault == null && prefix != null && prefix.length() > LONGEST_PREFIX ? Fault.ofLength(prefix) : fault;
    }

    /** Describes a valid prefix, in words that complete “expected …”. */
    String expectedPrefix() {
        return "1 to " + LONGEST_PREFIX + " of 0-9A-Za-z_";
    }

    /** Decodes an id; returns null if the text is not an id of this scheme. */
    abstract @Nullable ParsedId decode(String text);

    /** Returns the fault of a text that has the right length and characters, and still is no id. */
    abstract Fault layoutFault(String text);

    /** Returns the canonical text of an id. */
    abstract String text(ParsedId id);

    /** Returns the time in an id; null if the scheme has none. */
    @Nullable Instant time(ParsedId id) {
        return null;
    }

    /** Whether ids of this scheme are UUIDs. */
    boolean isUuid() {
        return false;
    }

    /** Returns the UUID version of an id, or -1. */
    int version(ParsedId id) {
        return -1;
    }

    /** Returns the number in an id that was counted, or -1. */
    long number(ParsedId id) {
        return -1;
    }

    /** Returns the random part of an id in a readable form; empty if there is none. */
    String random(ParsedId id) {
        return "";
    }

    /** Returns the milliseconds of a clock, or throws if they do not fit into a long. */
    static long millis(String scheme, InstantSource clock, Lifetime lifetime) {
        try {
            return clock.millis();
        } catch (ArithmeticException e) {
            throw new ExhaustedException(scheme, clock.instant(), lifetime);
        }
    }

    /** Returns the lowest bits of a number in hexadecimal digits. */
    static String hex(long high, long low, int bits) {
        String digits = String.format("%016x%016x", high, low);
        return digits.substring(digits.length() - (bits + 3) / 4);
    }

    @Override
    public String toString() {
        return name;
    }

    /** How long a scheme can mint ids. */
    public sealed interface Lifetime {

        /** The scheme can mint ids without an end. */
        record Endless() implements Lifetime {
            @Override
            public String toString() {
                return "endless";
            }
        }

        /** The scheme mints ids from the first instant to the last, both included. */
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

        /** The scheme mints ids of numbers up to the last, included. */
        record Numbers(long last) implements Lifetime {
            @Override
            public String toString() {
                return String.format(Locale.ROOT, "%,d ids", last);
            }
        }
    }

    /** A decoded id. Two are equal if the names of their schemes and their texts are. */
    public static class ParsedId {

        private final IdScheme scheme;
        private final long high;
        private final long low;

        ParsedId(IdScheme scheme, long high, long low) {
            this.scheme = scheme;
            this.high = high;
            this.low = low;
        }

        /** Returns the scheme that decoded the id. */
        public final IdScheme scheme() {
            return scheme;
        }

        /** Returns the id as text. */
        public final String text() {
            return scheme.text(this);
        }

        /** Returns when the id was minted, at the precision of its scheme: a second, a millisecond or a day. */
        public final Optional<Instant> time() {
            return Optional.ofNullable(scheme.time(this));
        }

        /** Returns the version, if the id is a UUID. */
        public final OptionalInt version() {
            int version = scheme.version(this);
            return version < 0 ? OptionalInt.empty() : OptionalInt.of(version);
        }

        /** Returns the number, if the id was counted. */
        public final OptionalLong number() {
            long number = scheme.number(this);
            return number < 0 ? OptionalLong.empty() : OptionalLong.of(number);
        }

        /** Returns the random part in hexadecimal digits, or in letters if the scheme draws letters. */
        public final Optional<String> random() {
            String random = scheme.random(this);
            return random.isEmpty() ? Optional.empty() : Optional.of(random);
        }

        /** Returns the id as a {@link UUID} of the JDK, if it is one. */
        public final Optional<UUID> uuid() {
            return scheme.isUuid() ? Optional.of(new UUID(high, low)) : Optional.empty();
        }

        final long high() {
            return high;
        }

        final long low() {
            return low;
        }

        /** Returns the same bits as an id of another scheme. */
        ParsedId in(IdScheme scheme) {
            return new ParsedId(scheme, high, low);
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
        public final String toString() {
            return text();
        }
    }

    /** Thrown if a scheme cannot mint an id: its numbers are used up, or the time is outside its {@linkplain #lifetime() lifetime}. */
    public static final class ExhaustedException extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        ExhaustedException(String scheme, Object asked, Lifetime lifetime) {
            super(scheme + " has no id for " + asked + "; its lifetime is " + lifetime);
        }
    }
}
