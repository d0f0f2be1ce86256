package dev.semel.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.id.IdScheme.ExhaustedException;
import dev.semel.id.IdScheme.ParsedId;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DayNonceSchemeTest {

    @ParameterizedTest
    @CsvSource({
        "2026-01-07T00:00:00Z, 260107",
        "2026-01-07T23:59:59.999999999Z, 260107",
        "2026-01-08T00:00:00Z, 260108",
        "2000-01-01T00:00:00Z, 000101",
        "2024-02-29T12:00:00Z, 240229",
        "2099-12-31T23:59:59.999Z, 991231"
    })
    void formatDayUTC_isTheUtcDay(Instant now, String day) {
        assertThat(DayNonceScheme.formatDayUTC(now)).isEqualTo(day);
    }

    @Test
    void yearsBeyondTwoDigits_areRejected() {
        assertThatThrownBy(() -> DayNonceScheme.formatDayUTC(Instant.parse("2100-01-01T00:00:00Z")))
                .isInstanceOf(ExhaustedException.class)
                .hasMessage("day-nonce has no id for 2100-01-01T00:00:00Z; its lifetime is 2000 to 2099");
        assertThatThrownBy(() -> DayNonceScheme.formatDayUTC(Instant.parse("1999-12-31T23:59:59Z")))
                .isInstanceOf(ExhaustedException.class);
    }

    @Test
    void randomNonce_hasTheLengthAndTheLettersAskedFor() {
        for (int i = 0; i < 1000; i++) {
            assertThat(IdSchemes.DAY_NONCE.randomNonce(2)).matches("[bcdfghjkmnpqrstvwxyz]{2}");
            assertThat(IdSchemes.DAY_NONCE.randomNonce(3)).matches("[bcdfghjkmnpqrstvwxyz]{3}");
        }
        assertThatThrownBy(() -> IdSchemes.DAY_NONCE.randomNonce(1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> IdSchemes.DAY_NONCE.randomNonce(4)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void longerNonce_isForThoseWhoAsk() {
        DayNonceScheme longer = IdSchemes.DAY_NONCE.upTo(6);
        for (int length = 2; length <= 6; length++) {
            String id = "260107-" + longer.randomNonce(length);
            assertThat(id).matches("260107-[bcdfghjkmnpqrstvwxyz]{" + length + "}");
            assertThat(longer.parse(id).text()).isEqualTo(id);
            assertThat(IdSchemes.DAY_NONCE.isValid(id)).isEqualTo(length <= 3);
        }
        assertThat(longer.isValid("260107-zzzzzzz")).isFalse();
        assertThat(IdSchemes.DAY_NONCE.upTo(4).isValid("260107-bcdfg")).isFalse();
        for (int length : new int[] {2, 7}) {
            assertThatThrownBy(() -> IdSchemes.DAY_NONCE.upTo(length)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void idOfEitherLength_holdsDayAndNonce() {
        ParsedId two = IdSchemes.DAY_NONCE.parse("260107-bc");
        assertThat(two.time()).contains(Instant.parse("2026-01-07T00:00:00Z"));
        assertThat(two.random()).contains("bc");
        assertThat(two.text()).isEqualTo("260107-bc");
        assertThat(IdSchemes.DAY_NONCE.parse("260107-bcf").random()).contains("bcf");
        assertThat(IdSchemes.DAY_NONCE.parse("260107-bbb").text()).isEqualTo("260107-bbb");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "260107-aa",
                "260107-ba",
                "260107-b",
                "260107-bcdf",
                "260230-bc",
                "261301-bc",
                "260100-bc",
                "2601070bc",
                "260107-BC"
            })
    void idThatIsNone_isRejected(String text) {
        assertThat(IdSchemes.DAY_NONCE.isValid(text)).isFalse();
        assertThat(IdSchemes.DAY_NONCE.fault(text)).isNotNull();
    }
}
