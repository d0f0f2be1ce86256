package dev.semel.id;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.id.IdScheme.ParsedId;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

/** Ids from specifications and from other implementations. */
class PublicVectorsTest {

    private static final String BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    @Example
    void rfc9562Appendix_isRead() {
        ParsedId four = IdSchemes.UUID4.parse("919108f7-52d1-4320-9bac-f847db4148a8");
        assertThat(four.version()).hasValue(4);
        assertThat(four.time()).isEmpty();
        assertThat(four.uuid()).contains(UUID.fromString("919108f7-52d1-4320-9bac-f847db4148a8"));

        ParsedId seven = IdSchemes.UUID7.parse("017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
        assertThat(seven.version()).hasValue(7);
        assertThat(seven.time()).contains(Instant.parse("2022-02-22T19:22:22Z"));
        // 0xCC3 of rand_a and 0x18C4DC0C0C07398F of rand_b, 74 bits together
        assertThat(seven.random()).contains("330d8c4dc0c0c07398f");

        for (String other : new String[] {
            "c232ab00-9414-11ec-b3c8-9f6bdeced846", // 1
            "5df41881-3aed-3515-88a7-2f4a814cf09e", // 3
            "2ed6657d-e927-568b-95e1-2665a8aea6a2", // 5
            "1ec9414c-232a-6b00-b3c8-9f6bdeced846", // 6
            "2489e9ad-2ee2-8e00-8ec9-32d5f69181c0", // 8
            "00000000-0000-0000-0000-000000000000",
            "ffffffff-ffff-ffff-ffff-ffffffffffff"
        }) {
            assertThat(IdSchemes.UUID4.isValid(other)).as(other).isFalse();
            assertThat(IdSchemes.UUID7.isValid(other)).as(other).isFalse();
        }
    }

    @Example
    void uuidsOfTheGamePlatformsDocument_areRejectedByVersionAndVariant() {
        assertThat(IdSchemes.UUID4.isValid("550e8400-e29b-41d4-a716-446655440000"))
                .isTrue();
        assertThat(IdSchemes.UUID4.fault("123e4567-e89b-12d3-a456-426614174000"))
                .isEqualTo(new IdFormat.Fault(14, "has version 1"));
        assertThat(IdSchemes.UUID4.fault("789e0123-e45b-67c8-d901-234567890abc"))
                .isEqualTo(new IdFormat.Fault(19, "has another variant than RFC 9562's"));
    }

    @Example
    void uuidsOfAnotherVariant_areRejectedInEveryEncoding() {
        for (long variant : new long[] {0, 1, 3}) {
            long low = variant << 62 | 0x2716446655440000L;
            for (IdScheme scheme : List.of(IdSchemes.UUID4, IdSchemes.UUID4S, IdSchemes.UUID464, IdSchemes.UUID7)) {
                long version = scheme == IdSchemes.UUID7 ? 0x7000 : 0x4000;
                String text = scheme.text(0x550e8400e29b01d4L | version, low);
                assertThat(scheme.isValid(text)).as("%s %s", scheme, text).isFalse();
                assertThat(scheme.fault(text))
                        .extracting(IdFormat.Fault::problem)
                        .asString()
                        .contains("variant");
                String right = scheme.text(0x550e8400e29b01d4L | version, 2L << 62 | (low & (-1L >>> 2)));
                assertThat(scheme.isValid(right)).as("%s %s", scheme, right).isTrue();
            }
        }
    }

    @Example
    void uuidEncodings_areTheSameUuid() {
        UUID uuid = UUID.fromString("550e8400-e29b-41d4-a716-446655440000");
        assertThat(IdSchemes.UUID4.parse("550e8400-e29b-41d4-a716-446655440000").uuid())
                .contains(uuid);
        assertThat(IdSchemes.UUID4S.parse("550e8400e29b41d4a716446655440000").uuid())
                .contains(uuid);
        assertThat(IdSchemes.UUID464.parse("VQ6EAOKbQdSnFkRmVUQAAA").uuid()).contains(uuid);
        assertThat(IdSchemes.UUID4S.isValid("67e5504410b1426f9247bb680e5fe0c8")).isTrue();
        assertThat(IdSchemes.UUID4S.isValid("b068e9ee1422edf7878440ab8b6")).isFalse();
    }

    @Example
    void lenientBase64Tails_areRejected() {
        for (char tail : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=".toCharArray()) {
            assertThat(IdSchemes.UUID464.isValid("VQ6EAOKbQdSnFkRmVUQAA" + tail))
                    .as("%s", tail)
                    .isEqualTo("AQgw".indexOf(tail) >= 0);
        }
    }

    @Example
    void ulidExamplesAndBounds_hold() {
        assertThat(IdSchemes.ULID.parse("01ARZ3NDEKTSV4RRFFQ69G5FAV").time())
                .contains(Instant.ofEpochMilli(1_469_922_850_259L));
        ParsedId next = IdSchemes.ULID.parse("01BX5ZZKBKACTAV9WEVGEMMVRZ");
        assertThat(next.time()).contains(Instant.ofEpochMilli(1_508_808_576_371L));
        assertThat(next.random()).contains("5334ada78edc1d4a6f1f");
        assertThat(IdSchemes.ULID.parse("00000000000000000000000000").time()).contains(Instant.EPOCH);
        assertThat(IdSchemes.ULID.parse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ").time())
                .contains(Instant.ofEpochMilli(281_474_976_710_655L));
        assertThat(IdSchemes.ULID.isValid("80000000000000000000000000")).isFalse();
        assertThat(IdSchemes.ULID.isValid("ZZZZZZZZZZZZZZZZZZZZZZZZZZ")).isFalse();
        assertThat(IdSchemes.ULID.isValid("01arz3ndektsv4rrffq69g5fav")).isFalse();
        assertThat(IdSchemes.ULID.isValid("01ARZ3NDEKTSV4RRFFQ69G5FAI")).isFalse();
    }

    @Example
    void tid62Bounds_hold() {
        assertThat(IdSchemes.TID62.parse("00000000000000000").time()).contains(Instant.parse("2020-01-01T00:00:00Z"));
        assertThat(IdSchemes.TID62.parse("1f2SI9UJPXvb7vdJ1").random()).contains("ffffffffffffffff");
        assertThat(IdSchemes.TID62.isValid("1f2SI9UJPXvb7vdJ2")).isFalse();
        assertThat(IdSchemes.TID62.isValid("zzzzzzzzzzzzzzzzz")).isFalse();
        ParsedId first = IdSchemes.TID62.parse("04XhXYx9xCjfPYf32");
        ParsedId last = IdSchemes.TID62.parse("04XhXZJ8dUJgViwbH");
        assertThat(first.time()).contains(Instant.parse("2026-01-01T00:00:00Z"));
        assertThat(first.random()).contains("0000000000000000");
        assertThat(last.time()).contains(Instant.parse("2026-01-01T00:00:00Z"));
        assertThat(last.random()).contains("ffffffffffffffff");
        assertThat(IdSchemes.TID62.parse("0B4kZ7mNpQrStUvWx").time())
                .contains(Instant.ofEpochSecond(1_577_836_800 + 461_703_617));
    }

    @Property(tries = 20_000)
    void tid62OfAnyBits_isTheNumberInBase62(
            @ForAll @LongRange(min = 0, max = 0xFFFF_FFFFL) long seconds, @ForAll long random) {
        String expected =
                base62(BigInteger.valueOf(seconds).shiftLeft(64).or(new BigInteger(Long.toUnsignedString(random))));

        assertThat(IdSchemes.TID62.text(seconds, random)).isEqualTo(expected);
        ParsedId read = IdSchemes.TID62.parse(expected);
        assertThat(read.high()).isEqualTo(seconds);
        assertThat(read.low()).isEqualTo(random);
    }

    /** Boundaries of the carry in the encoder: the last ten digits are all zero, or all z. */
    @Property
    void tid62AroundRoundNumbers_isTheNumberInBase62(@ForAll @LongRange(min = 0, max = 0xFFFF_FFFEL) long seconds) {
        BigInteger round = BigInteger.valueOf(62).pow(10);
        BigInteger start = BigInteger.valueOf(seconds).shiftLeft(64);
        BigInteger first = start.divide(round).add(BigInteger.ONE).multiply(round);
        for (int i = 0; i < 20; i++) {
            for (int off = -1; off <= 1; off++) {
                BigInteger number =
                        first.add(round.multiply(BigInteger.valueOf(i))).add(BigInteger.valueOf(off));
                assertThat(IdSchemes.TID62.text(number.shiftRight(64).longValueExact(), number.longValue()))
                        .isEqualTo(base62(number));
            }
        }
    }

    private static String base62(BigInteger number) {
        StringBuilder digits = new StringBuilder();
        BigInteger rest = number;
        while (digits.length() < 17) {
            BigInteger[] divided = rest.divideAndRemainder(BigInteger.valueOf(62));
            digits.append(BASE62.charAt(divided[1].intValue()));
            rest = divided[0];
        }
        return digits.reverse().toString();
    }

    @Property(tries = 5_000)
    void uuidOfAnyBits_isWhatTheJdkWrites(@ForAll long high, @ForAll long low) {
        UUID uuid = new UUID((high & ~0xF000L) | 0x4000, (low & (-1L >>> 2)) | 1L << 63);
        String canonical = uuid.toString();

        assertThat(IdSchemes.UUID4.parse(canonical).uuid()).contains(uuid);
        assertThat(IdSchemes.UUID4.parse(canonical).text()).isEqualTo(canonical);
        assertThat(IdSchemes.UUID4S.parse(canonical.replace("-", "")).uuid()).contains(uuid);
        String base64 = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(ByteBuffer.allocate(16)
                        .putLong(uuid.getMostSignificantBits())
                        .putLong(uuid.getLeastSignificantBits())
                        .array());
        assertThat(IdSchemes.UUID464.parse(base64).uuid()).contains(uuid);
        assertThat(IdSchemes.UUID464.parse(base64).text()).isEqualTo(base64);
    }
}
