package dev.semel.id;

import java.util.Arrays;

/** The digits of an encoding: maps ASCII characters to values and back. All other characters have no value. */
final class Alphabet {

    static final Alphabet DECIMAL = new Alphabet("0123456789");
    static final Alphabet HEX = new Alphabet("0123456789abcdef");
    static final Alphabet BASE32 = new Alphabet("0123456789ABCDEFGHJKMNPQRSTVWXYZ");
    static final Alphabet BASE32_LOWER = new Alphabet("0123456789abcdefghjkmnpqrstvwxyz");
    static final Alphabet BASE36 = new Alphabet("0123456789abcdefghijklmnopqrstuvwxyz");
    static final Alphabet BASE62 = new Alphabet("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    static final Alphabet BASE64URL = new Alphabet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");

    private final String characters;
    private final byte[] digits;
    private final byte[] values = new byte[128];

    Alphabet(String characters) {
        this.characters = characters;
        this.digits = new byte[characters.length()];
        Arrays.fill(values, (byte) -1);
        for (int i = 0; i < digits.length; i++) {
            digits[i] = (byte) characters.charAt(i);
            values[digits[i]] = (byte) i;
        }
    }

    /** Returns all characters in the order of their values. */
    String characters() {
        return characters;
    }

    byte digit(int value) {
        return digits[value];
    }

    /** Returns the value of a character, or -1. A bitwise or of several values is negative if one of them is. */
    int value(char c) {
        return c < 128 ? values[c] : -1;
    }

    /** Returns the value of each ASCII character, or -1, for loops that cannot afford a call. */
    byte[] values() {
        return values.clone();
    }

    /** Returns all pairs of digits by their value, each as two ASCII bytes in one short, the first digit in the high byte. */
    short[] pairs() {
        int size = digits.length;
        short[] pairs = new short[size * size];
        for (int i = 0; i < pairs.length; i++) {
            pairs[i] = (short) (digits[i / size] << 8 | digits[i % size]);
        }
        return pairs;
    }
}
