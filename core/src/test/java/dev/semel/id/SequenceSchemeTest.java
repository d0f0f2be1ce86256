package dev.semel.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.id.IdScheme.ExhaustedException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SequenceSchemeTest {

    @Test
    void numbers_arePaddedAndSort() {
        IdScheme seq36 = IdSchemes.SEQ36.drawingFrom(new AtomicLong(34)::getAndIncrement);
        assertThat(new String[] {seq36.mint(), seq36.mint(), seq36.mint()})
                .containsExactly("000000y", "000000z", "0000010")
                .isSorted();
        assertThat(IdSchemes.SEQ10
                        .drawingFrom(new AtomicLong(1)::getAndIncrement)
                        .mint())
                .isEqualTo("0000000001");
        assertThat(IdSchemes.SEQ10.parse("0000000042").number()).hasValue(42);
        assertThat(IdSchemes.SEQ36.isValid("000000Y")).isFalse();
    }

    @Test
    void lastNumber_isMintedAndThenNoneWrapsAround() {
        IdScheme seq10 = IdSchemes.SEQ10.drawingFrom(new AtomicLong(9_999_999_999L)::getAndIncrement);
        assertThat(seq10.mint()).isEqualTo("9999999999");
        assertThatThrownBy(seq10::mint)
                .isInstanceOf(ExhaustedException.class)
                .hasMessage("seq10 has no id for number 10000000000; its lifetime is 9,999,999,999 ids");
        IdScheme seq36 = IdSchemes.SEQ36.drawingFrom(new AtomicLong(78_364_164_095L)::getAndIncrement);
        assertThat(seq36.mint()).isEqualTo("zzzzzzz");
        assertThatThrownBy(seq36::mint).isInstanceOf(ExhaustedException.class);
    }

    @Test
    void negativeNumber_isRejected() {
        assertThatThrownBy(IdSchemes.SEQ10.drawingFrom(() -> -1)::mint).isInstanceOf(ExhaustedException.class);
    }

    @Test
    void schemeWithoutASequence_checksAndReadsButDoesNotMint() {
        assertThat(IdSchemes.SEQ10.isValid("0000000001")).isTrue();
        assertThatThrownBy(IdSchemes.SEQ10::mint)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("seq10 has no sequence to draw numbers from");
    }
}
