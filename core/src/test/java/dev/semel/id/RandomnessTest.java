package dev.semel.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.id.Randomness.Slot;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Statistical tests of random bits. The bounds are seven standard deviations, which a fair generator exceeds about once in 400 billion
 * runs.
 */
@Tag("jdk")
class RandomnessTest {

    private static final int SAMPLES = 200_000;
    private static final double SIGMAS = 7;

    static List<IdScheme> schemes() {
        return List.of(
                IdSchemes.TID62,
                IdSchemes.UUID4,
                IdSchemes.UUID4S,
                IdSchemes.UUID464,
                IdSchemes.UUID7,
                IdSchemes.ULID,
                IdSchemes.KSUID,
                IdSchemes.NANOID,
                IdSchemes.TYPEID);
    }

    static Stream<IdScheme> rising() {
        return Schemes.rising();
    }

    private static int counterBits(IdScheme scheme) {
        return scheme == IdSchemes.TSID ? 22 : 16;
    }

    /** The number of random bits at the end of the hexadecimal field. A counter may precede them. */
    @ParameterizedTest
    @MethodSource("schemes")
    void eachFreshBit_isSetHalfOfTheTimeAndKnowsNothingOfItsNeighbour(IdScheme scheme) {
        assertFair(scheme, scheme.randomBits(), scheme::mint);
    }

    @ParameterizedTest
    @MethodSource("schemes")
    void eachBitAtAGivenTime_isSetHalfOfTheTimeAndKnowsNothingOfItsNeighbour(IdScheme scheme) {
        assertFair(scheme, scheme.randomBits(), () -> scheme.mintAt(Instant.EPOCH.plusSeconds(2_000_000_000)));
    }

    @ParameterizedTest
    @MethodSource("rising")
    void eachBitOfTheCounterAtAGivenTime_isSetHalfOfTheTimeToo(IdScheme scheme) {
        int bits = scheme.randomBits() + counterBits(scheme);
        assertFair(scheme, bits, () -> scheme.mintAt(Instant.EPOCH.plusSeconds(2_000_000_000)));
    }

    /** The last 32,768 values are no starts. Of the others, each half is as likely. */
    @ParameterizedTest
    @MethodSource("rising")
    void counterOfANewMillisecond_startsAnywhereButAtTheEnd(IdScheme system) {
        SettableClock clock = new SettableClock("2026-01-01T00:00:00Z");
        IdScheme scheme = system.withClock(clock);
        long starts = (1L << counterBits(system)) - 32_768;
        int lower = 0;
        for (int i = 0; i < SAMPLES; i++) {
            clock.advance(Duration.ofMillis(1));
            String random = scheme.parse(scheme.mint()).random().orElseThrow();
            long start =
                    new BigInteger(random, 16).shiftRight(scheme.randomBits()).longValueExact();
            assertThat(start).isLessThan(starts);
            lower += start < starts / 2 ? 1 : 0;
        }
        assertHalf(lower, scheme + " starts");
    }

    private static void assertFair(IdScheme scheme, int bits, Supplier<String> minting) {
        int[] set = new int[bits];
        int[] sameAsNext = new int[bits];
        int[] sameAsBefore = new int[bits];
        boolean[] previous = new boolean[bits];
        for (int i = 0; i < SAMPLES; i++) {
            boolean[] drawn = lastBits(scheme.parse(minting.get()).random().orElseThrow(), bits);
            for (int bit = 0; bit < bits; bit++) {
                set[bit] += drawn[bit] ? 1 : 0;
                sameAsNext[bit] += drawn[bit] == drawn[(bit + 1) % bits] ? 1 : 0;
                sameAsBefore[bit] += drawn[bit] == previous[bit] ? 1 : 0;
            }
            previous = drawn;
        }
        for (int bit = 0; bit < bits; bit++) {
            assertHalf(set[bit], scheme + " bit " + bit);
            assertHalf(sameAsNext[bit], scheme + " bit " + bit + " and the next");
            assertHalf(sameAsBefore[bit], scheme + " bit " + bit + " and the same of the id before");
        }
    }

    private static void assertHalf(int count, String what) {
        assertThat((double) count)
                .as(what)
                .isBetween(
                        SAMPLES / 2.0 - SIGMAS * Math.sqrt(SAMPLES / 4.0),
                        SAMPLES / 2.0 + SIGMAS * Math.sqrt(SAMPLES / 4.0));
    }

    private static boolean[] lastBits(String hex, int bits) {
        boolean[] result = new boolean[bits];
        for (int i = 0; i < bits; i++) {
            int digit = Character.digit(hex.charAt(hex.length() - 1 - i / 4), 16);
            result[i] = (digit >>> i % 4 & 1) != 0;
        }
        return result;
    }

    @Test
    void nonceLetters_areEachAsLikelyInEachPlace() {
        int letters = DayNonceScheme.SAFE_ALPHABET.length();
        int[][] counts = new int[3][letters];
        for (int i = 0; i < SAMPLES; i++) {
            String nonce = IdSchemes.DAY_NONCE.randomNonce(3);
            for (int place = 0; place < 3; place++) {
                counts[place][DayNonceScheme.SAFE_ALPHABET.indexOf(nonce.charAt(place))]++;
            }
        }
        double expected = (double) SAMPLES / letters;
        for (int[] place : counts) {
            for (int count : place) {
                assertThat((double) count)
                        .isBetween(expected - SIGMAS * Math.sqrt(expected), expected + SIGMAS * Math.sqrt(expected));
            }
        }
    }

    /** Without rejection of biased draws, some of the 2³² values would map to a number twice and some three times. */
    @Test
    void numbersBelowABound_areUniformThoughTheBoundDoesNotDivideTheDraws() {
        int bound = 3 << 29; // without rejection, every third number gets three draws and the others two
        int[] thirds = new int[3];
        try (Slot slot = Randomness.secure().borrow()) {
            for (int i = 0; i < SAMPLES; i++) {
                int number = slot.below(bound);
                assertThat(number).isBetween(0, bound - 1);
                thirds[number % 3]++;
            }
        }
        double expected = SAMPLES / 3.0;
        for (int count : thirds) {
            assertThat((double) count)
                    .isBetween(expected - SIGMAS * Math.sqrt(expected), expected + SIGMAS * Math.sqrt(expected));
        }
    }

    @Test
    void words_areHandedOutOnceAndInOrderOfTheSource() {
        Randomness counting = new Randomness(CountingSource::new);
        try (Slot slot = counting.borrow()) {
            for (int i = 0; i < 3 * Randomness.BUFFER_BYTES / Long.BYTES; i++) {
                long word = slot.nextLong();
                assertThat(word & 0xFF).isEqualTo(i * 8L & 0xFF);
            }
        }
    }

    /** Fills buffers with consecutive bytes. */
    private static final class CountingSource implements Consumer<byte[]> {
        private int next;

        @Override
        public void accept(byte[] buffer) {
            for (int i = 0; i < buffer.length; i++) {
                buffer[i] = (byte) next++;
            }
        }
    }

    @Test
    void slotsAllTaken_aFreshOneIsMadeAndNobodyWaits() {
        List<Slot> taken = new ArrayList<>();
        Set<Slot> distinct = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            Slot slot = Randomness.secure().borrow();
            taken.add(slot);
            distinct.add(slot);
            slot.nextLong();
        }
        assertThat(distinct).hasSize(1000);
        taken.forEach(Slot::close);
    }

    @Test
    void slotGivenBack_isLentAgain() {
        Randomness randomness = new Randomness(CountingSource::new);
        Slot first = randomness.borrow();
        first.close();
        Slot second = randomness.borrow();
        assertThat(second).isSameAs(first);
    }

    @Test
    void sourceThatFails_givesNoBitsUntilItWorksAgain() {
        boolean[] broken = {true};
        Randomness flaky = new Randomness(() -> buffer -> {
            if (broken[0]) {
                throw new IllegalStateException("no entropy");
            }
            Arrays.fill(buffer, (byte) 1);
        });
        for (int i = 0; i < 3; i++) {
            try (Slot slot = flaky.borrow()) {
                assertThatThrownBy(slot::nextLong).hasMessage("no entropy");
            }
        }
        broken[0] = false;
        try (Slot slot = flaky.borrow()) {
            assertThat(slot.nextLong()).isEqualTo(0x0101_0101_0101_0101L);
        }
    }

    @Test
    void sourceThatCannotBeMade_givesNoBits() {
        Randomness none = new Randomness(() -> {
            throw new IllegalStateException("no cipher");
        });
        for (int i = 0; i < 3; i++) {
            try (Slot slot = none.borrow()) {
                assertThatThrownBy(slot::nextLong).hasMessage("no cipher");
            }
        }
    }
}
