package dev.semel.json;

import java.math.BigInteger;

/**
 * Computes the decimal that ECMAScript prints for a double: among the decimals with the fewest digits that parse to the double, the one
 * nearest to it. {@link Double#toString(double)} does not return it before JDK 19, and since then returns two digits where one suffices.
 *
 * <p>The algorithm is Raffaello Giulietti's Schubfach. A double <i>v</i> = <i>c</i>·2<sup><i>q</i></sup> owns an interval around it with a
 * width of about 2<sup><i>q</i></sup>. Let <i>k</i> be the greatest integer such that 10<sup><i>k</i></sup> is not wider. Then the interval
 * contains a multiple of 10<sup><i>k</i></sup>, and at most one multiple of 10<sup><i>k</i>+1</sup>. If it contains one of the latter, that is
 * the shortest decimal, without its trailing zeros. Otherwise it is the multiple of 10<sup><i>k</i></sup> inside the interval that is nearest
 * to <i>v</i>.
 *
 * <p>Membership is decided on 4<i>v</i>/10<sup><i>k</i></sup> and the ends of the interval on the same scale, computed with 126 bits of the
 * power of ten. Each is truncated to an integer whose last bit is set if anything was cut off, so every comparison with an even integer is
 * exact.
 */
final class ShortestDecimal {

    private static final int LEAST_POWER = -292;
    private static final int GREATEST_POWER = 324;
    private static final int LEAST_EXPONENT = -1074;
    private static final long HIDDEN_BIT = 1L << 52;
    private static final long LOW_63 = Long.MAX_VALUE;

    /** The first 126 bits of each power of ten, rounded up, as two halves of 63 bits, the high one first. */
    private static final long[] POWERS = powers();

    private ShortestDecimal() {}

    private static long[] powers() {
        long[] powers = new long[2 * (GREATEST_POWER - LEAST_POWER + 1)];
        for (int e = LEAST_POWER; e <= GREATEST_POWER; e++) {
            BigInteger power = BigInteger.TEN.pow(Math.abs(e));
            BigInteger first = e >= 0
                    ? power.shiftLeft(126).shiftRight(power.bitLength())
                    : BigInteger.ONE.shiftLeft(125 + power.bitLength()).divide(power);
            BigInteger rounded = first.add(BigInteger.ONE);
            powers[2 * (e - LEAST_POWER)] = rounded.shiftRight(63).longValueExact();
            powers[2 * (e - LEAST_POWER) + 1] = rounded.longValue() & LOW_63;
        }
        return powers;
    }

    /**
     * Writes the digits of a positive finite double into a decimal.
     */
    static void of(double value, Decimal decimal) {
        long bits = Double.doubleToRawLongBits(value);
        int biased = (int) (bits >>> 52);
        long fraction = bits & (HIDDEN_BIT - 1);
        long c = biased == 0 ? fraction : fraction | HIDDEN_BIT;
        int q = LEAST_EXPONENT + Math.max(biased - 1, 0);
        boolean narrowBelow = fraction == 0 && biased > 1; // the neighbour below a power of two is half as far away

        int k = narrowBelow ? floorLog10ThreeQuartersOfPow2(q) : floorLog10Pow2(q);
        int shift = q + floorLog2Pow10(-k) + 2;
        int power = 2 * (-k - LEAST_POWER);
        long high = POWERS[power];
        long low = POWERS[power + 1];
        long scaled = product(high, low, (4 * c) << shift);
        long odd = c & 1; // the interval includes its ends if c is even
        long lower = product(high, low, (4 * c - (narrowBelow ? 1 : 2)) << shift) + odd;
        long upper = product(high, low, (4 * c + 2) << shift) - odd;

        long below = scaled >> 2;
        if (below >= 10) {
            long tens = below / 10 * 10;
            boolean lowerTens = lower <= 4 * tens;
            boolean upperTens = 4 * (tens + 10) <= upper;
            if (lowerTens != upperTens) {
                decimal.set(lowerTens ? tens : tens + 10, k);
                return;
            }
        }
        boolean lowerInside = lower <= 4 * below;
        boolean upperInside = 4 * (below + 1) <= upper;
        if (lowerInside == upperInside) {
            long twiceFromMiddle = scaled - (4 * below + 2);
            upperInside = twiceFromMiddle > 0 || (twiceFromMiddle == 0 && (below & 1) == 1);
        }
        decimal.set(upperInside ? below + 1 : below, k);
    }

    /** Returns the product divided by 2<sup>127</sup>, with its last bit set if a significant part was cut off. */
    private static long product(long high, long low, long factor) {
        long carried = Math.multiplyHigh(low, factor);
        long middle = ((high * factor) >>> 1) + carried;
        long whole = Math.multiplyHigh(high, factor) + (middle >>> 63);
        return whole | (((middle & LOW_63) + LOW_63) >>> 63);
    }

    // The factors are logarithms times a power of two. The tests check every exponent.

    private static int floorLog10Pow2(int e) {
        return (e * 315_653) >> 20;
    }

    private static int floorLog10ThreeQuartersOfPow2(int e) {
        return (e * 631_305 - 261_663) >> 21;
    }

    private static int floorLog2Pow10(int e) {
        return (e * 1_741_647) >> 19;
    }
}
