package dev.semel.id;

import dev.semel.id.IdScheme.Lifetime;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A UTC day and two or three letters: {@code 260107-bc}. Such an id is short enough to read aloud, and too short to be unique by chance.
 * What is minted is a <em>candidate</em>: it has to be created atomically, and if it is taken, another is tried. Use {@link #upTo} for more
 * ids a day than three letters allow.
 */
public final class DayNonceScheme extends IdScheme {

    /** The letters of a nonce. There are no vowels, so no words, and no {@code l}. */
    public static final String SAFE_ALPHABET = "bcdfghjkmnpqrstvwxyz";

    private static final Alphabet LETTERS = new Alphabet(SAFE_ALPHABET);
    private static final int DAY_DIGITS = 6;
    private static final int SHORT_NONCE = 2;
    private static final int LONG_NONCE = 3;
    private static final int LONGEST_NONCE = 6;
    private static final LocalDate FIRST_DAY = LocalDate.of(2000, 1, 1);
    private static final LocalDate LAST_DAY = LocalDate.of(2099, 12, 31);
    private static final Lifetime.Between LIFETIME = new Lifetime.Between(
            startOf(FIRST_DAY), startOf(LAST_DAY.plusDays(1)).minusNanos(1));

    private final int letters;
    private final InstantSource clock;
    private final Randomness random;

    DayNonceScheme(InstantSource clock, Randomness random) {
        this(LONG_NONCE, clock, random);
    }

    private DayNonceScheme(int letters, InstantSource clock, Randomness random) {
        super(
                "day-nonce",
                Alphabet.DECIMAL.characters() + SAFE_ALPHABET + "-",
                DAY_DIGITS + 1 + SHORT_NONCE,
                DAY_DIGITS + 1 + letters);
        this.letters = letters;
        this.clock = Objects.requireNonNull(clock);
        this.random = random;
    }

    /**
     * Returns this scheme with nonces of two up to a given number of letters.
     *
     * @throws IllegalArgumentException unless the number is 3 to 6
     */
    public DayNonceScheme upTo(int letters) {
        if (letters < LONG_NONCE || letters > LONGEST_NONCE) {
            throw new IllegalArgumentException("A nonce has up to 3, 4, 5 or 6 letters, not up to " + letters);
        }
        return new DayNonceScheme(letters, clock, random);
    }

    /**
     * Returns the UTC day of an instant as {@code YYMMDD}.
     *
     * @throws ExhaustedException if the year is not 2000 to 2099, which two digits cannot express
     */
    public static String formatDayUTC(Instant now) {
        if (now.isBefore(LIFETIME.first()) || now.isAfter(LIFETIME.last())) {
            throw new ExhaustedException("day-nonce", now, LIFETIME);
        }
        LocalDate day = LocalDate.ofInstant(now, ZoneOffset.UTC);
        return Integer.toString(
                        1_000_000 + day.getYear() % 100 * 10_000 + day.getMonthValue() * 100 + day.getDayOfMonth())
                .substring(1);
    }

    /**
     * Returns random letters of {@link #SAFE_ALPHABET}, uniformly distributed.
     *
     * @throws IllegalArgumentException if ids of this scheme cannot have so many or so few letters
     */
    public String randomNonce(int length) {
        if (length < SHORT_NONCE || length > letters) {
            throw new IllegalArgumentException("A nonce has " + lengths() + " letters, not " + length);
        }
        try (Randomness.Slot slot = random.borrow()) {
            for (int i = 0; i < length; i++) {
                slot.scratch[i] = LETTERS.digit(slot.below(SAFE_ALPHABET.length()));
            }
            return slot.text(length);
        }
    }

    /** Returns a candidate with two letters. */
    @Override
    public String mint() {
        return mintAt(clock.instant());
    }

    @Override
    public String mintAt(Instant time) {
        return formatDayUTC(time) + "-" + randomNonce(SHORT_NONCE);
    }

    /** High is the day since 1970. Low is the nonce as a number in base 20, behind a leading 1 that preserves its length. */
    @Override
    @Nullable ParsedId decode(String text) {
        if (text.length() < minLength() || text.length() > maxLength() || text.charAt(DAY_DIGITS) != '-') {
            return null;
        }
        int seen = 0;
        int day = 0;
        for (int i = 0; i < DAY_DIGITS; i++) {
            int value = Alphabet.DECIMAL.value(text.charAt(i));
            seen |= value;
            day = day * 10 + value;
        }
        int nonce = 1;
        for (int i = DAY_DIGITS + 1; i < text.length(); i++) {
            int value = LETTERS.value(text.charAt(i));
            seen |= value;
            nonce = nonce * SAFE_ALPHABET.length() + value;
        }
        LocalDate date = seen < 0 ? null : date(day);
        return date == null ? null : new ParsedId(this, date.toEpochDay(), nonce);
    }

    private static @Nullable LocalDate date(int day) {
        try {
            return LocalDate.of(2000 + day / 10_000, day / 100 % 100, day % 100);
        } catch (DateTimeException e) {
            return null;
        }
    }

    @Override
    Fault layoutFault(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            Alphabet allowed = i < DAY_DIGITS ? Alphabet.DECIMAL : LETTERS;
            if (i == DAY_DIGITS ? c != '-' : allowed.value(c) < 0) {
                return Fault.ofCharacter(text, i);
            }
        }
        return new Fault(0, "begins with a date that does not exist");
    }

    @Override
    String text(ParsedId id) {
        return formatDayUTC(startOf(LocalDate.ofEpochDay(id.high()))) + "-" + random(id);
    }

    @Override
    Instant time(ParsedId id) {
        return startOf(LocalDate.ofEpochDay(id.high()));
    }

    private static Instant startOf(LocalDate day) {
        return day.atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    @Override
    String random(ParsedId id) {
        StringBuilder nonce = new StringBuilder();
        for (int rest = (int) id.low(); rest > 1; rest /= SAFE_ALPHABET.length()) {
            nonce.append((char) LETTERS.digit(rest % SAFE_ALPHABET.length()));
        }
        return nonce.reverse().toString();
    }

    @Override
    public String expected() {
        return "YYMMDD, a '-' and " + lengths() + " of " + SAFE_ALPHABET;
    }

    private String lengths() {
        return SHORT_NONCE + (letters == LONG_NONCE ? " or " : " to ") + letters;
    }

    @Override
    public String summary() {
        return "a day and two or three letters, to be allocated";
    }

    @Override
    public boolean isSortable() {
        return true;
    }

    /** Returns the bits of two letters, rounded down. */
    @Override
    public int randomBits() {
        return 8;
    }

    @Override
    public Lifetime lifetime() {
        return LIFETIME;
    }

    @Override
    public DayNonceScheme withClock(InstantSource clock) {
        return new DayNonceScheme(letters, clock, random);
    }
}
