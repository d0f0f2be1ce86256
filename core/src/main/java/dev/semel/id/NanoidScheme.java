package dev.semel.id;

import org.jspecify.annotations.Nullable;

/** The scheme {@code nanoid}: 21 random characters of base64url, 126 bits. */
final class NanoidScheme extends IdScheme {

    private static final int LENGTH = 21;

    /** The index of the digit that has two bits of the high word and four of the low. */
    private static final int MIDDLE = 10;

    private final Randomness random;

    NanoidScheme(Randomness random) {
        super("nanoid", Alphabet.BASE64URL.characters(), LENGTH, LENGTH);
        this.random = random;
    }

    @Override
    public String mint() {
        try (Randomness.Slot slot = random.borrow()) {
            encode(slot.nextLong() >>> 2, slot.nextLong(), slot.scratch);
            return slot.text(LENGTH);
        }
    }

    /** Encodes 62 bits and 64 bits. */
    private static void encode(long high, long low, byte[] out) {
        for (int i = 0; i < MIDDLE; i++) {
            out[i] = digit(high >>> (56 - 6 * i));
            out[MIDDLE + 1 + i] = digit(low >>> (54 - 6 * i));
        }
        out[MIDDLE] = digit(high << 4 | low >>> 60);
    }

    /** Returns the lowest six bits as an ASCII character. */
    private static byte digit(long bits) {
        return Alphabet.BASE64URL.digit((int) bits & 63);
    }

    @Override
    @Nullable ParsedId decode(String text) {
        if (text.length() != LENGTH) {
            return null;
        }
        int seen = 0;
        long high = 0;
        for (int i = 0; i < MIDDLE; i++) {
            int value = Alphabet.BASE64URL.value(text.charAt(i));
            seen |= value;
            high = high << 6 | value;
        }
        int middle = Alphabet.BASE64URL.value(text.charAt(MIDDLE));
        seen |= middle;
        long low = middle; // its first two bits, which belong to the high word, are shifted out below
        for (int i = MIDDLE + 1; i < LENGTH; i++) {
            int value = Alphabet.BASE64URL.value(text.charAt(i));
            seen |= value;
            low = low << 6 | value;
        }
        return seen < 0 ? null : new ParsedId(this, high << 2 | middle >>> 4, low);
    }

    @Override
    Fault layoutFault(String text) {
        throw new AssertionError("every text of the right length and digits is valid: " + text);
    }

    @Override
    String text(ParsedId id) {
        byte[] out = new byte[LENGTH];
        encode(id.high(), id.low(), out);
        return Randomness.text(out, out.length);
    }

    @Override
    String random(ParsedId id) {
        return hex(id.high(), id.low(), 126);
    }

    @Override
    public String expected() {
        return "21 of A-Za-z0-9-_";
    }

    @Override
    public String summary() {
        return "126 random bits, in base64url";
    }

    @Override
    public boolean isSortable() {
        return false;
    }

    @Override
    public int randomBits() {
        return 126;
    }
}
