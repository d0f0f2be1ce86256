package dev.semel.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FingerprintTest {

    /** The example in FIPS 180. */
    private static final String OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    @Test
    void fingerprintOfBytes_isTheirSha256() {
        assertThat(Fingerprint.ofBytes("abc".getBytes(UTF_8)).hex()).isEqualTo(OF_ABC);
        assertThat(Fingerprint.ofBytes("abc".getBytes(UTF_8))).hasToString(OF_ABC);
    }

    @Test
    void fingerprintOfJson_isThatOfItsCanonicalBytes() {
        String text = "{ \"b\": 2.0, \"a\": \"\\u00e9\" }";
        assertThat(Fingerprint.ofJson(text))
                .isEqualTo(Fingerprint.ofBytes("{\"a\":\"\u00e9\",\"b\":2}".getBytes(UTF_8)))
                .isEqualTo(Fingerprint.ofBytes(Json.canonical(text)))
                .isEqualTo(Fingerprint.ofJson(text.getBytes(UTF_8)))
                .hasSameHashCodeAs(Fingerprint.ofJson("{\"a\":\"\u00e9\",\"b\":2}"));
    }

    @Test
    void differentPayloads_haveDifferentFingerprints() {
        assertThat(Fingerprint.ofJson("{\"id\":9007199254740993}"))
                .isNotEqualTo(Fingerprint.ofJson("{\"id\":9007199254740992}"))
                .isNotEqualTo("fingerprint");
    }

    @Test
    void textThatIsNoJson_isRejected() {
        assertThatThrownBy(() -> Fingerprint.ofJson("{")).isInstanceOf(MalformedJsonException.class);
    }

    @Test
    void hex_isParsedBack() {
        Random random = new Random(64);
        for (int i = 0; i < 1_000; i++) {
            byte[] hash = new byte[32];
            random.nextBytes(hash);
            String hex = HexFormat.of().formatHex(hash);
            assertThat(Fingerprint.parse(hex).hex()).isEqualTo(hex);
            String other =
                    hex.substring(0, i % 64) + (hex.charAt(i % 64) == '0' ? '1' : '0') + hex.substring(i % 64 + 1);
            assertThat(Fingerprint.parse(hex).equals(Fingerprint.parse(other))).isEqualTo(other.equals(hex));
        }
        assertThat(Fingerprint.parse(OF_ABC)).isEqualTo(Fingerprint.ofBytes("abc".getBytes(UTF_8)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ba7816bf",
                "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ag",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015\u0663d",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad0"
            })
    void otherEncoding_isRejected(String hex) {
        assertThatThrownBy(() -> Fingerprint.parse(hex))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lower-case hex digits");
    }

    @Test
    void manyThreads_doNotDisturbEachOther() throws Exception {
        byte[] bytes = new byte[200];
        String expected =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        assertThat(IntStream.range(0, 100_000)
                        .parallel()
                        .allMatch(i -> Fingerprint.ofBytes(bytes).hex().equals(expected)))
                .isTrue();
    }
}
