package dev.semel.id;

import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counted numbers from 1 on, zero-padded so that they sort.
 *
 * <p>Anyone can guess the next one and see how many there are, so such ids are never a default, and must not be public.
 */
final class SequenceScheme extends IdScheme {

    private final Alphabet digits;
    private final long last;
    private final @Nullable LongSupplier numbers;

    SequenceScheme(String name, Alphabet digits, int length) {
        this(name, digits, length, null);
    }

    private SequenceScheme(String name, Alphabet digits, int length, @Nullable LongSupplier numbers) {
        super(name, digits.characters(), length, length);
        this.digits = digits;
        this.numbers = numbers;
        long count = 1;
        for (int i = 0; i < length; i++) {
            count *= digits.characters().length();
        }
        this.last = count - 1;
    }

    @Override
    public boolean isCounted() {
        return true;
    }

    @Override
    public IdScheme drawingFrom(LongSupplier numbers) {
        return new SequenceScheme(name(), digits, maxLength(), Objects.requireNonNull(numbers));
    }

    /**
     * Mints the next number of the sequence.
     *
     * @throws IllegalStateException if this scheme has no sequence
     */
    @Override
    public String mint() {
        if (numbers == null) {
            throw new IllegalStateException(name() + " has no sequence to draw numbers from");
        }
        return mint(numbers.getAsLong());
    }

    private String mint(long number) {
        if (number < 0 || number > last) {
            throw new ExhaustedException(name(), "number " + number, lifetime());
        }
        return encode(number);
    }

    @Override
    @Nullable ParsedId decode(String text) {
        if (text.length() != maxLength()) {
            return null;
        }
        int seen = 0;
        long number = 0;
        for (int i = 0; i < text.length(); i++) {
            int value = digits.value(text.charAt(i));
            seen |= value;
            number = number * digits.characters().length() + value;
        }
        return seen < 0 ? null : new ParsedId(this, 0, number);
    }

    @Override
    Fault layoutFault(String text) {
        throw new AssertionError("every text of the right length and digits is valid: " + text);
    }

    @Override
    String text(ParsedId id) {
        return encode(id.low());
    }

    private String encode(long number) {
        byte[] out = new byte[maxLength()];
        long rest = number;
        for (int i = out.length - 1; i >= 0; i--) {
            out[i] = digits.digit((int) (rest % digits.characters().length()));
            rest /= digits.characters().length();
        }
        return Randomness.text(out, out.length);
    }

    @Override
    long number(ParsedId id) {
        return id.low();
    }

    @Override
    public String expected() {
        return maxLength() + " of " + TextFormat.ranges(alphabet());
    }

    @Override
    public String summary() {
        return "a counted number in base " + digits.characters().length() + ", not for the public";
    }

    @Override
    public boolean isSortable() {
        return true;
    }

    @Override
    public int randomBits() {
        return 0;
    }

    @Override
    public Lifetime lifetime() {
        return new Lifetime.Numbers(last);
    }
}
