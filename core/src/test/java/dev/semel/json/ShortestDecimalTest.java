package dev.semel.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The representation of a double parses to the double, no shorter one does, and none of the same length is nearer. If a shorter
 * decimal did, then also one next to the representation, since all decimals that parse to the double are in one interval.
 */
@Tag("jdk")
class ShortestDecimalTest {

    private final Random random = new Random(8785);
    private final Decimal decimal = new Decimal();
    private final byte[] out = new byte[Decimal.LONGEST];

    private String printed(double value) {
        ShortestDecimal.of(value, decimal);
        return new String(out, 0, decimal.write(out, 0), ISO_8859_1);
    }

    private void assertShortestAndNearest(double value, String text) {
        BigDecimal shown = new BigDecimal(text).stripTrailingZeros();
        BigInteger digits = shown.unscaledValue();
        int exponent = -shown.scale();
        check(Double.parseDouble(text) == value, value, text, "reads back");

        BigInteger tens = digits.divide(BigInteger.TEN);
        check(read(tens, exponent + 1) != value, value, text, "has no shorter below");
        check(
                read(tens.add(BigInteger.ONE), exponent + 1) != value || digits.equals(BigInteger.ONE),
                value,
                text,
                "above");

        boolean neighbourReadsBack = read(digits.subtract(BigInteger.ONE), exponent) == value
                || read(digits.add(BigInteger.ONE), exponent) == value;
        if (neighbourReadsBack) {
            BigDecimal away = new BigDecimal(value).subtract(shown).abs().scaleByPowerOfTen(-exponent);
            int toHalf = away.compareTo(new BigDecimal("0.5"));
            check(toHalf < 0 || (toHalf == 0 && !digits.testBit(0)), value, text, "is the nearest");
        }
    }

    private static double read(BigInteger digits, int exponent) {
        return Double.parseDouble(digits + "e" + exponent);
    }

    private static void check(boolean holds, double value, String text, String what) {
        if (!holds) { // building a million failure messages would dominate the run time
            assertThat(text).as("%a %s", value, what).isEmpty();
        }
    }

    @Test
    void powersOfTwoAndTheirNeighbours_arePrintedShortest() {
        for (int exponent = -1074; exponent <= 1023; exponent++) {
            double power = Math.scalb(1.0, exponent);
            for (double value : new double[] {Math.nextDown(power), power, Math.nextUp(power)}) {
                if (value > 0) {
                    assertShortestAndNearest(value, printed(value));
                }
            }
        }
    }

    @Test
    void powersOfTenAndTheirNeighbours_arePrintedShortest() {
        for (int exponent = -323; exponent <= 308; exponent++) {
            double power = Double.parseDouble("1e" + exponent);
            for (double value : new double[] {Math.nextDown(power), power, Math.nextUp(power)}) {
                assertShortestAndNearest(value, printed(value));
            }
        }
    }

    @Test
    void doublesOfRandomBits_arePrintedShortest() {
        for (int i = 0; i < 200_000; i++) {
            double value = Math.abs(Double.longBitsToDouble(random.nextLong()));
            if (Double.isFinite(value) && value > 0) {
                assertShortestAndNearest(value, printed(value));
            }
        }
    }

    @Test
    void subnormals_arePrintedShortest() {
        for (long bits = 1; bits <= 1_000; bits++) {
            assertShortestAndNearest(Double.longBitsToDouble(bits), printed(Double.longBitsToDouble(bits)));
        }
        for (int i = 0; i < 30_000; i++) {
            double value = Double.longBitsToDouble(1 + (random.nextLong() >>> (12 + random.nextInt(52))));
            assertShortestAndNearest(value, printed(value));
        }
    }

    @Test
    void decimalsOf15To20Digits_arePrintedAsTheirDouble() {
        for (int i = 0; i < 200_000; i++) {
            String text = randomDecimal();
            double value = Double.parseDouble(text);
            assertShortestAndNearest(value, Canonical.of(text));
        }
    }

    /** Larger numbers are integers, which have a separate rule. */
    private String randomDecimal() {
        StringBuilder text = new StringBuilder().append((char) ('1' + random.nextInt(9)));
        int count = 15 + random.nextInt(6);
        int point = 1 + random.nextInt(count - 1);
        for (int i = 1; i < count; i++) {
            if (i == point) {
                text.append('.');
            }
            text.append((char) ('0' + random.nextInt(10)));
        }
        if (random.nextInt(3) == 0) {
            text.append('e').append(random.nextInt(580) - 290);
        }
        return text.toString();
    }

    /** Decimals of up to 15 digits take a short path that must agree with the general one. */
    @Test
    void decimalsOfUpTo15Digits_areTheShortestOfTheirDoubles() {
        for (int i = 0; i < 200_000; i++) {
            int count = 1 + random.nextInt(15);
            long digits = (long) (random.nextDouble() * Math.pow(10, count)) + 1;
            String text = digits + "e" + (random.nextInt(580) - 290);
            assertThat(Canonical.of(text)).isEqualTo(printed(Double.parseDouble(text)));
        }
    }

    @Test
    void jdkFrom19_printsTheSameDigits() {
        Assumptions.assumeTrue(Runtime.version().feature() >= 19, "before, it printed too many digits");
        for (int i = 0; i < 400_000; i++) {
            double value = Math.abs(Double.longBitsToDouble(random.nextLong()));
            if (Double.isFinite(value) && value >= Double.MIN_NORMAL) {
                BigDecimal expected = new BigDecimal(Double.toString(value));
                assertThat(new BigDecimal(printed(value)).compareTo(expected)).isZero();
            }
        }
    }

    /** A number slightly above the midpoint of two doubles; only its thousandth digit decides the rounding. */
    @Test
    void digitsAfterAThousand_stillDecide() {
        BigDecimal middle =
                new BigDecimal(1.0).add(new BigDecimal(Math.nextUp(1.0))).divide(BigDecimal.valueOf(2));
        assertThat(Canonical.of(middle.toPlainString())).isEqualTo("1");
        assertThat(Canonical.of(middle.toPlainString() + "0".repeat(5_000))).isEqualTo("1");
        assertThat(Canonical.of(middle.toPlainString() + "0".repeat(5_000) + "1"))
                .isEqualTo("1.0000000000000002");
        assertThat(Canonical.of("0." + "0".repeat(5_000) + "1e+5001")).isEqualTo("1");
        assertThat(Canonical.of("1" + "0".repeat(5_000) + "e-5000")).isEqualTo("1");
        assertThat(Canonical.of("1e-99999999999999999999")).isEqualTo("0");
        assertThat(Canonical.of("0e99999999999999999999")).isEqualTo("0");
        BigDecimal least = new BigDecimal(Double.MIN_VALUE).divide(BigDecimal.valueOf(2));
        assertThat(Canonical.of(least.toPlainString())).isEqualTo("0");
        assertThat(Canonical.of(least.toPlainString() + "1")).isEqualTo("5e-324");
    }
}
