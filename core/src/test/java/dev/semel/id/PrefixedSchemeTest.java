package dev.semel.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.id.IdScheme.ParsedId;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrefixedSchemeTest {

    @Test
    void prefix_endsAtTheFirstHyphenThoughTheBodyHoldsMore() {
        IdScheme scheme = IdSchemes.UUID4.prefixed("session");
        ParsedId id = scheme.parse("session-550e8400-e29b-41d4-a716-446655440000");
        assertThat(id.uuid().map(Object::toString)).contains("550e8400-e29b-41d4-a716-446655440000");
        assertThat(id.version()).hasValue(4);
    }

    @Test
    void errors_pointIntoTheWholeText() {
        IdScheme scheme = IdSchemes.UUID4.prefixed("session");
        assertThat(scheme.fault("session-123e4567-e89b-12d3-a456-426614174000"))
                .isEqualTo(new IdFormat.Fault(22, "has version 1"));
        assertThat(scheme.fault("table-550e8400-e29b-41d4-a716-446655440000"))
                .isEqualTo(new IdFormat.Fault(0, "does not begin with session-"));
        assertThat(scheme.fault("session-550e8400")).isEqualTo(new IdFormat.Fault(-1, "has 8 characters"));
        assertThat(IdSchemes.SEQ36.prefixed("order").fault("reord-0000001"))
                .isEqualTo(new IdFormat.Fault(0, "does not begin with order-"));
    }

    @Test
    void prefixOfAText_endsAtTheFirstHyphen() {
        assertThat(IdSchemes.NANOID.prefixOf("user-V1StGXR8_Z5jdHi6B-myT")).contains("user");
        assertThat(IdSchemes.TID62.prefixOf("a_b-c-d")).contains("a_b");
        for (String text : new String[] {"", "user", "-user", "\u00fc-x", "a b-x", "p".repeat(65) + "-x"}) {
            assertThat(IdSchemes.TID62.prefixOf(text)).as(text).isEmpty();
        }
    }

    @Test
    void idsOfMoreThanTwoWords_keepThemAll() {
        IdScheme scheme = IdSchemes.KSUID.prefixed("event");
        ParsedId id = scheme.parse("event-0ujtsYcgvSTl8PAuAdqWYSMnLOv");
        assertThat(id.text()).isEqualTo("event-0ujtsYcgvSTl8PAuAdqWYSMnLOv");
        assertThat(id.time()).contains(Instant.parse("2017-10-10T04:00:47Z"));
        assertThat(id)
                .isEqualTo(scheme.parse(id.text()))
                .isNotEqualTo(IdSchemes.KSUID.parse(id.text().substring(6)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "a-b", "ü", "a b", "-", "12345678901234567890123456789012345678901234567890123456789012345"})
    void prefixThatIsNone_isRejected(String prefix) {
        assertThatThrownBy(() -> IdSchemes.TID62.prefixed(prefix))
                .isInstanceOf(MalformedException.class)
                .hasMessageEndingWith("expected 1 to 64 of 0-9A-Za-z_");
    }
}
