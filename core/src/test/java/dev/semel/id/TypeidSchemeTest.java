package dev.semel.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.id.IdScheme.ParsedId;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TypeidSchemeTest {

    /** From valid.yml of the specification, version 0.3. */
    @ParameterizedTest
    @CsvSource({
        "00000000000000000000000000, '', 00000000-0000-0000-0000-000000000000",
        "00000000000000000000000001, '', 00000000-0000-0000-0000-000000000001",
        "0000000000000000000000000a, '', 00000000-0000-0000-0000-00000000000a",
        "0000000000000000000000000g, '', 00000000-0000-0000-0000-000000000010",
        "00000000000000000000000010, '', 00000000-0000-0000-0000-000000000020",
        "7zzzzzzzzzzzzzzzzzzzzzzzzz, '', ffffffff-ffff-ffff-ffff-ffffffffffff",
        "prefix_0123456789abcdefghjkmnpqrs, prefix, 0110c853-1d09-52d8-d73e-1194e95b5f19",
        "prefix_01h455vb4pex5vsknk084sn02q, prefix, 01890a5d-ac96-774b-bcce-b302099a8057",
        "pre_fix_00000000000000000000000000, pre_fix, 00000000-0000-0000-0000-000000000000"
    })
    void validTypeid_isReadAndWritten(String text, String prefix, UUID uuid) {
        assertThat(IdSchemes.TYPEID.prefixOf(text).orElse("")).isEqualTo(prefix);
        IdScheme scheme = prefix.isEmpty() ? IdSchemes.TYPEID : IdSchemes.TYPEID.prefixed(prefix);
        assertThat(scheme.parse(text).uuid()).contains(uuid);
        assertThat(scheme.parse(text).text()).isEqualTo(text);
        ParsedId written = new ParsedId(scheme, uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
        assertThat(written.text()).isEqualTo(text);
    }

    /** From invalid.yml of the specification, version 0.3. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "PREFIX_00000000000000000000000000",
                "12345_00000000000000000000000000",
                "pre.fix_00000000000000000000000000",
                "pr\u00e9fix_00000000000000000000000000",
                "  prefix_00000000000000000000000000",
                "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl_00000000000000000000000000",
                "_00000000000000000000000000",
                "_",
                "prefix_1234567890123456789012345",
                "prefix_123456789012345678901234567",
                "prefix_1234567890123456789012345 ",
                "prefix_0123456789ABCDEFGHJKMNPQRS",
                "prefix_123456789-123456789-123456",
                "prefix_ooooooiiiiiiuuuuuuulllllll",
                "prefix_i23456789ol23456789oi23456",
                "prefix_123456789-0123456789-0123456",
                "prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz",
                "_prefix_00000000000000000000000000",
                "prefix__00000000000000000000000000"
            })
    void invalidTypeid_isNone(String text) {
        assertThat(IdSchemes.TYPEID.isValid(text)).isFalse();
        assertThat(IdSchemes.TYPEID
                        .prefixOf(text)
                        .filter(prefix -> IdSchemes.TYPEID.prefixed(prefix).isValid(text)))
                .isEmpty();
    }

    @Test
    void timeOfATypeid_isThatOfAVersion7Alone() {
        ParsedId seven = IdSchemes.TYPEID.parse("01h455vb4pex5vsknk084sn02q");
        assertThat(seven.version()).hasValue(7);
        assertThat(seven.time()).contains(Instant.ofEpochMilli(0x01890a5dac96L));
        assertThat(seven.random()).contains("1d2fcceb302099a8057");
        ParsedId nil = IdSchemes.TYPEID.parse("0".repeat(26));
        assertThat(nil.version()).isEmpty();
        assertThat(nil.time()).isEmpty();
        assertThat(nil.random()).isEmpty();
        ParsedId four = IdSchemes.TYPEID.parse("2n1t201rmv87aae5j4csam8000");
        assertThat(four.uuid()).contains(UUID.fromString("550e8400-e29b-41d4-a716-446655440000"));
        assertThat(four.version()).hasValue(4);
        assertThat(four.time()).isEmpty();
        assertThat(four.random()).isEmpty();
    }

    @Test
    void mintedId_isAVersion7() {
        assertThat(IdSchemes.TYPEID.parse(IdSchemes.TYPEID.mint()).version()).hasValue(7);
        assertThat(IdSchemes.TYPEID.prefixed("user").mint()).matches("user_[0-7][0-9a-hjkmnp-tv-z]{25}");
    }

    @Test
    void prefix_endsAtTheLastUnderscore() {
        String text = "order_line_01h455vb4pex5vsknk084sn02q";
        assertThat(IdSchemes.TYPEID.prefixOf(text)).contains("order_line");
        assertThat(IdSchemes.TYPEID.prefixed("order_line").isValid(text)).isTrue();
        assertThat(IdSchemes.TYPEID.prefixed("order").isValid(text)).isFalse();
        assertThat(IdSchemes.TYPEID.prefixed("line").fault(text))
                .isEqualTo(new IdFormat.Fault(0, "does not begin with line_"));
    }

    @Test
    void errors_pointIntoTheWholeText() {
        IdScheme users = IdSchemes.TYPEID.prefixed("user");
        assertThat(users.fault("user-01h455vb4pex5vsknk084sn02q"))
                .isEqualTo(new IdFormat.Fault(0, "does not begin with user_"));
        assertThat(users.fault("user_8zzzzzzzzzzzzzzzzzzzzzzzzz")).isEqualTo(new IdFormat.Fault(5, "exceeds 128 bits"));
        assertThat(users.fault("user_01h455vb4pex5vsknk084sn02u")).isEqualTo(new IdFormat.Fault(30, "has a 'u'"));
        assertThat(users.expected())
                .isEqualTo("user_ and 26 of 0-9a-z without i, l, o and u, at most 7zzzzzzzzzzzzzzzzzzzzzzzzz");
    }

    @Test
    void longestPrefix_has63Letters() {
        String prefix = "a" + "_".repeat(61) + "z";
        IdScheme scheme = IdSchemes.TYPEID.prefixed(prefix);
        assertThat(scheme.isValid(scheme.mint())).isTrue();
        assertThat(IdSchemes.TYPEID.prefixOf(scheme.mint())).contains(prefix);
        assertThat(IdSchemes.TYPEID.prefixed("a").mint()).startsWith("a_");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "User",
                "user1",
                "a-b",
                "a b",
                "_",
                "_user",
                "user_",
                "\u00fcser",
                "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl"
            })
    void prefixThatIsNone_isRejected(String prefix) {
        assertThatThrownBy(() -> IdSchemes.TYPEID.prefixed(prefix))
                .isInstanceOfSatisfying(
                        MalformedException.class, e -> assertThat(e.field()).isEqualTo("prefix"))
                .hasMessageEndingWith("expected 1 to 63 of a-z_, with a letter at both ends");
        assertThat(IdSchemes.TYPEID.prefixOf(prefix + "_01h455vb4pex5vsknk084sn02q"))
                .isEmpty();
    }
}
