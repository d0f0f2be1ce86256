package dev.semel.kv;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Explores every interleaving of the allocator's steps, inside and outside the condition of {@link KvTiming}. */
class KvModelTest {

    /** Returns the longest delay of a write that is safe, see {@link KvShortIdAllocator}. */
    private static int safeDelay(int gap, int staleness, int claimTtl) {
        return claimTtl - 2 * gap - staleness - 1;
    }

    private static KvModel model(int writers, int settle, int gap, int staleness, int claimTtl, int delay) {
        return new KvModel(KvProtocol.hardened(settle, gap, staleness, claimTtl), writers, delay, staleness);
    }

    /** Returns a model of two writers on a consistent store. */
    private static KvModel consistent(int settle, int gap, int claimTtl, int delay) {
        return new KvModel(KvProtocol.hardened(settle, gap, 0, claimTtl), 2, delay, KvModel.CONSISTENT);
    }

    private static void assertSafe(KvModel model) {
        assertThat(model.findOverwrite()).isEmpty();
        assertThat(model.statesWithPost()).isPositive();
    }

    private static void assertOverwrites(KvModel model, String trace) {
        assertThat(model.findOverwrite())
                .hasValueSatisfying(found -> assertThat(found).isEqualToNormalizingNewlines(trace));
    }

    @Test
    void literalSteps_giveAnIdToTwoWriters() {
        KvModel literal = new KvModel(KvProtocol.literal(20), 2, 1, KvModel.CONSISTENT);
        assertThat(literal.findTwoWinners())
                .hasValueSatisfying(trace -> assertThat(trace).isEqualToNormalizingNewlines("""
                 0  A  write claim
                 0  A  verify claim: that of A
                 0  A  read post: none
                 0  B  write claim
                 0  B  verify claim: that of B
                 0  B  read post: none
                 0  A  write post
                 0  A  verify post: that of A
                 0  A  delete claim
                 0  A  has allocated
                 0  B  write post
                 0  B  verify post: that of B
                 0  B  delete claim
                 0  B  has allocated
                    two writers have the id
                """));
    }

    @Test
    void literalSteps_overwriteAPost() {
        assertOverwrites(new KvModel(KvProtocol.literal(20), 2, 1, KvModel.CONSISTENT), """
                 0  A  write claim
                 0  A  verify claim: that of A
                 0  A  read post: none
                 0  B  write claim
                 0  B  verify claim: that of B
                 0  B  read post: none
                 0  A  write post
                 0  B  write post
                    B has overwritten a post
                """);
    }

    @Test
    void insideTheCondition_noTwoWritersGetTheId() {
        assertThat(model(2, 4, 1, 1, 7, 3).findTwoWinners()).isEmpty();
    }

    @Test
    void insideTheCondition_twoWritersNeverOverwrite() {
        for (int gap = 1; gap <= 2; gap++) {
            for (int staleness = 0; staleness <= 2; staleness++) {
                int settle = gap + 2 * staleness + 1;
                int claimTtl = settle + 2 * gap + 1;
                assertSafe(model(2, settle, gap, staleness, claimTtl, safeDelay(gap, staleness, claimTtl)));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"2, 1, 0"})
    void insideTheCondition_threeWritersNeverOverwrite(int settle, int gap, int staleness) {
        int claimTtl = settle + 2 * gap + 1;
        assertSafe(model(3, settle, gap, staleness, claimTtl, safeDelay(gap, staleness, claimTtl)));
    }

    @EnabledIfSystemProperty(named = "semel.test.long", matches = "true")
    @ParameterizedTest
    @CsvSource({"4, 1, 1, 7", "3, 2, 0, 8", "3, 1, 0, 7", "4, 1, 1, 8", "6, 2, 1, 11", "6, 1, 2, 9"})
    void insideTheCondition_threeWritersNeverOverwriteWithLongerTimes(
            int settle, int gap, int staleness, int claimTtl) {
        assertSafe(model(3, settle, gap, staleness, claimTtl, safeDelay(gap, staleness, claimTtl)));
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "1, 1", "1, 2", "2, 0", "2, 1", "2, 2"})
    void settleTime_isSafeExactlyIfTheTimingIs(int gap, int staleness) {
        for (int settle = 0; settle <= gap + 2 * staleness + 2; settle++) {
            int claimTtl = settle + 2 * gap + 1;
            KvModel model = model(2, settle, gap, staleness, claimTtl, gap);
            boolean safe = new KvTiming(
                            Duration.ofSeconds(settle), Duration.ofSeconds(gap), Duration.ofSeconds(staleness))
                    .isSafe();
            assertThat(model.findOverwrite().isEmpty()).as("settle " + settle).isEqualTo(safe);
        }
    }

    @Test
    void settleTimeThatIsOneTooShort_overwrites() {
        assertOverwrites(consistent(1, 1, 20, 1), """
                 0  A  look for post: none
                 0  A  read claim: none
                 0  B  look for post: none
                 0  B  read claim: none
                 0  A  write claim
                 1  A  verify claim: that of A
                 1  A  read post: none
                 1  B  write claim
                 2  B  verify claim: that of B
                 2  B  read post: none
                 2  A  write post
                 2  B  write post
                    B has overwritten a post
                """);
    }

    @Test
    void writeThatIsAppliedOneTooLate_overwrites() {
        int claimTtl = 5;
        int delay = safeDelay(1, 0, claimTtl);
        assertSafe(model(2, 2, 1, 0, claimTtl, delay));
        assertOverwrites(consistent(2, 1, claimTtl, delay + 1), """
                 0  A  look for post: none
                 0  A  read claim: none
                 1  A  write claim
                 4  A  verify claim: that of A
                 4  A  read post: none
                 5  B  look for post: none
                 5  B  read claim: none
                 5  B  write claim
                 7  B  verify claim: that of B
                 7  B  read post: none
                 7  A  write post
                 7  A  has written too late
                 7  B  write post
                    B has overwritten a post
                """);
    }

    @Test
    void claimThatExpiresWhileItsWriterSettles_allocatesNothing() {
        KvModel model = model(2, 6, 1, 0, 5, 1);
        assertThat(model.findOverwrite()).isEmpty();
        assertThat(model.statesWithPost()).isZero();
    }
}
