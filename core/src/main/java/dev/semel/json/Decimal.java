package dev.semel.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;

/**
 * A mutable decimal that is positive or zero: 0.<i>digits</i> × 10<sup><i>point</i></sup>. Its digits neither begin nor end with zero;
 * zero has no digits. One instance is reused for many numbers.
 */
final class Decimal {

    /** The halfway points between doubles have up to 768 digits. Of further digits it only matters whether one is not zero. */
    private static final int MOST_DIGITS = 800;

    /** An exponent so large that no number of digits can compensate for it. */
    static final long HUGE = 1L << 40;

    private byte[] digits = new byte[32];
    private int count;
    private long point;
    private int zeros; // read, but appended only if another digit follows

    void clear() {
        count = 0;
        point = 0;
        zeros = 0;
    }

    /** Appends a digit of the whole part. */
    void whole(byte digit) {
        if (digit != '0' || count > 0) {
            point++;
            append(digit);
        }
    }

    /** Appends a digit of the fraction. */
    void fraction(byte digit) {
        if (digit == '0' && count == 0) {
            point--;
        } else {
            append(digit);
        }
    }

    private void append(byte digit) {
        if (digit == '0') {
            zeros++;
        } else if (count <= MOST_DIGITS) {
            int next = Math.min(count + zeros, MOST_DIGITS);
            if (next >= digits.length) {
                digits = Arrays.copyOf(digits, MOST_DIGITS + 1);
            }
            Arrays.fill(digits, count, next, (byte) '0');
            digits[next] = next < MOST_DIGITS ? digit : (byte) '1';
            count = next + 1;
            zeros = 0;
        }
    }

    /** Multiplies by a power of ten, with an exponent of up to ±{@link #HUGE}. */
    void scale(long exponent) {
        point += exponent;
    }

    /** Sets this to an integer times a power of ten. */
    void set(long integer, int exponent) {
        clear();
        long rest = integer;
        int dropped = 0;
        while (rest % 10 == 0) {
            rest /= 10;
            dropped++;
        }
        for (long r = rest; r > 0; r /= 10) {
            count++;
        }
        for (int i = count - 1; i >= 0; i--) {
            digits[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        point = (long) count + dropped + exponent;
    }

    boolean isZero() {
        return count == 0;
    }

    int count() {
        return count;
    }

    /**
     * Whether this is certainly the shortest decimal of its nearest double. A decimal of up to 15 digits is the only one of that length in the
     * interval of its double, unless the double is subnormal and has fewer bits.
     */
    boolean isSurelyShortest() {
        return count <= 15 && point >= -300 && point <= 300;
    }

    /** Returns the nearest double. */
    double nearest() {
        if (count == 0 || point < -400) {
            return 0;
        }
        if (point > 400) {
            return Double.POSITIVE_INFINITY;
        }
        return Double.parseDouble(new String(digits, 0, count, ISO_8859_1) + "e" + (point - count));
    }

    boolean isSameAs(Decimal other) {
        return point == other.point && Arrays.equals(digits, 0, count, other.digits, 0, other.count);
    }

    /** The most bytes that {@link #write} writes for a decimal of up to 17 digits. */
    static final int LONGEST = 25;

    /** Writes the decimal as ECMAScript prints numbers, and returns where the text ends. */
    int write(byte[] out, int from) {
        int n = (int) point;
        int to = from;
        if (count == 0) {
            out[to++] = '0';
        } else if (n > 21 || n < -5) {
            to = writeScientific(out, to, n - 1);
        } else if (n <= 0) {
            out[to++] = '0';
            out[to++] = '.';
            to = fill(out, to, -n);
            to = copy(out, to, 0, count);
        } else if (n < count) {
            to = copy(out, to, 0, n);
            out[to++] = '.';
            to = copy(out, to, n, count);
        } else {
            to = copy(out, to, 0, count);
            to = fill(out, to, n - count);
        }
        return to;
    }

    private int writeScientific(byte[] out, int from, int exponent) {
        int to = copy(out, from, 0, 1);
        if (count > 1) {
            out[to++] = '.';
            to = copy(out, to, 1, count);
        }
        out[to++] = 'e';
        out[to++] = (byte) (exponent < 0 ? '-' : '+');
        int e = Math.abs(exponent);
        if (e >= 100) {
            out[to++] = (byte) ('0' + e / 100);
        }
        if (e >= 10) {
            out[to++] = (byte) ('0' + e / 10 % 10);
        }
        out[to++] = (byte) ('0' + e % 10);
        return to;
    }

    private int copy(byte[] out, int to, int first, int last) {
        System.arraycopy(digits, first, out, to, last - first);
        return to + last - first;
    }

    private static int fill(byte[] out, int to, int zeros) {
        Arrays.fill(out, to, to + zeros, (byte) '0');
        return to + zeros;
    }
}
