package dev.semel.id;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Minting an id allocates only its string. */
@Tag("jdk")
class AllocationTest {

    private static final int IDS = 20_000;

    /** The compiler runs in the background, and may take long on a machine that is busy. */
    private static final long COMPILED_NANOS = 30_000_000_000L;

    static Stream<IdScheme> schemes() {
        return IdSchemes.all().stream().filter(scheme -> scheme != IdSchemes.DAY_NONCE && !scheme.isCounted());
    }

    @ParameterizedTest
    @MethodSource("schemes")
    void mintedId_allocatesItsStringAlone(IdScheme scheme) {
        // a String of 24 bytes and its array: 16 and the characters, rounded up; a refill's few objects serve a
        // thousand
        double string = 24 + (16 + scheme.maxLength() + 7) / 8 * 8;
        double bytesPerId = Double.MAX_VALUE;
        long startedAt = System.nanoTime();
        while (bytesPerId > string + 4 && System.nanoTime() - startedAt < COMPILED_NANOS) {
            bytesPerId = (double) mint(scheme) / IDS;
        }
        assertThat(bytesPerId).isBetween(string, string + 4);
    }

    private static long mint(IdScheme scheme) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        int length = 0;
        for (int i = 0; i < IDS; i++) {
            length += scheme.mint().length();
        }
        assertThat(length).isEqualTo(IDS * scheme.maxLength());
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
