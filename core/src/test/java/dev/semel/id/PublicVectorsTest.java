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
                String text = new ParsedId(scheme, 0x550e8400e29b01d4L | version, low).text();
                assertThat(scheme.isValid(text)).as("%s %s", scheme, text).isFalse();
                assertThat(scheme.fault(text))
                        .extracting(IdFormat.Fault::problem)
                        .asString()
                        .contains("variant");
                String right =
                        new ParsedId(scheme, 0x550e8400e29b01d4L | version, 2L << 62 | (low & (-1L >>> 2))).text();
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
        String expected = base62(BigInteger.valueOf(seconds).shiftLeft(64).or(unsigned(random)), 17);

        assertThat(new ParsedId(IdSchemes.TID62, seconds, random).text()).isEqualTo(expected);
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
                assertThat(new ParsedId(IdSchemes.TID62, number.shiftRight(64).longValueExact(), number.longValue())
                                .text())
                        .isEqualTo(base62(number, 17));
            }
        }
    }

    private static BigInteger unsigned(long word) {
        return new BigInteger(Long.toUnsignedString(word));
    }

    private static String base62(BigInteger number, int length) {
        StringBuilder digits = new StringBuilder();
        BigInteger rest = number;
        while (digits.length() < length) {
            BigInteger[] divided = rest.divideAndRemainder(BigInteger.valueOf(62));
            digits.append(BASE62.charAt(divided[1].intValue()));
            rest = divided[0];
        }
        return digits.reverse().toString();
    }

    /** From the readme of segmentio/ksuid, the reference implementation. */
    @Example
    void ksuidsOfTheReferenceImplementation_areRead() {
        assertKsuid("0ujtsYcgvSTl8PAuAdqWYSMnLOv", 107_608_047, "b5a1cd34b5f99d1154fb6853345c9735");
        assertKsuid("0ujzPyRiIAffKhBux4PvQdDqMHY", 107_610_780, "73fc1aa3b2446246d6e89fcd909e8fe8");
        assertKsuid("0uk1Hbc9dQ9pxyTqJ93IUrfhdGq", 107_611_700, "9850eeec191bf4ff26f99315ce43b0c8");
        assertKsuid("0uk1HdCJ6hUZKDgcxhpJwUl5ZEI", 107_611_700, "cc55072555316f45b8ca2d2979d3ed0a");
        assertKsuid("0uk1HcdvF0p8C20KtTfdRSB9XIm", 107_611_700, "ba1c205d6177f0992d15ee606ae32238");
        assertKsuid("0uk1Ha7hGJ1Q9Xbnkt0yZgNwg3g", 107_611_700, "67517ba309ea62ae7991b27bb6f2fcac");
        assertKsuid("000000000000000000000000000", 0, "0".repeat(32));
        assertKsuid("aWgEPTl1tmebfsQzFP4bxwgy80V", 0xFFFF_FFFFL, "f".repeat(32));
        assertThat(IdSchemes.KSUID.parse("0ujtsYcgvSTl8PAuAdqWYSMnLOv").time())
                .contains(Instant.parse("2017-10-10T04:00:47Z"));
        for (String beyond : List.of("aWgEPTl1tmebfsQzFP4bxwgy80W", "aWgEPTl1tmebfsQzFP4bxwgy810", "z".repeat(27))) {
            assertThat(IdSchemes.KSUID.fault(beyond)).isEqualTo(new IdFormat.Fault(-1, "exceeds 160 bits"));
        }
    }

    private static void assertKsuid(String text, long second, String payload) {
        ParsedId id = IdSchemes.KSUID.parse(text);
        assertThat(id.time()).contains(Instant.ofEpochSecond(1_400_000_000 + second));
        assertThat(id.random()).contains(payload);
        assertThat(id.text()).isEqualTo(text);
    }

    @Property(tries = 20_000)
    void ksuidOfAnyBits_isTheNumberInBase62(
            @ForAll @LongRange(min = 0, max = 0xFFFF_FFFFL) long second, @ForAll long high, @ForAll long low) {
        assertKsuidIsTheNumber(second, high, low);
    }

    /** Around the multiples of 62⁹ and 62¹⁸, where the digits of a chunk are all zero, or all z. */
    @Property
    void ksuidAroundRoundNumbers_isTheNumberInBase62(
            @ForAll @LongRange(min = 0, max = 0xFFFF_FFFEL) long second, @ForAll long high, @ForAll long low) {
        BigInteger number = number(second, high, low);
        for (int digits : new int[] {9, 18}) {
            BigInteger round = BigInteger.valueOf(62).pow(digits);
            for (int off = -2; off <= 2; off++) {
                BigInteger near =
                        number.divide(round).add(BigInteger.ONE).multiply(round).add(BigInteger.valueOf(off));
                assertKsuidIsTheNumber(
                        near.shiftRight(128).longValueExact(),
                        near.shiftRight(64).longValue(),
                        near.longValue());
            }
        }
    }

    private static void assertKsuidIsTheNumber(long second, long high, long low) {
        String expected = base62(number(second, high, low), 27);
        KsuidScheme.Parsed id = new KsuidScheme.Parsed(IdSchemes.KSUID, second, high, low);

        assertThat(id.text()).isEqualTo(expected);
        assertThat(IdSchemes.KSUID.parse(expected)).isEqualTo(id).hasSameHashCodeAs(id);
    }

    private static BigInteger number(long second, long high, long low) {
        return BigInteger.valueOf(second)
                .shiftLeft(64)
                .or(unsigned(high))
                .shiftLeft(64)
                .or(unsigned(low));
    }

    /** The estimate of the quotient is furthest off where the dividend or the quotient is greatest. */
    @Property(tries = 20_000)
    void quotientOfTwoWords_isThatOfTheirNumber(
            @ForAll @LongRange(min = 0, max = 13_537_086_546_263_551L) long high, @ForAll long low) {
        for (long divided : new long[] {high, 13_537_086_546_263_551L - (high >>> 40)}) {
            BigInteger expected = unsigned(divided)
                    .shiftLeft(64)
                    .or(unsigned(low))
                    .divide(BigInteger.valueOf(62).pow(9));
            assertThat(unsigned(KsuidScheme.quotient(divided, low))).isEqualTo(expected);
        }
    }

    /** From the readme of ai/nanoid. */
    @Example
    void nanoids_areTheBitsOfTheirCharacters() {
        assertThat(IdSchemes.NANOID.parse("V1StGXR8_Z5jdHi6B-myT").text()).isEqualTo("V1StGXR8_Z5jdHi6B-myT");
        assertThat(IdSchemes.NANOID.parse("A".repeat(21)).random()).contains("0".repeat(32));
        assertThat(IdSchemes.NANOID.parse("_".repeat(21)).random()).contains("3" + "f".repeat(31));
        assertThat(IdSchemes.NANOID.parse("-".repeat(21)).time()).isEmpty();
        assertThat(IdSchemes.NANOID.fault("V1StGXR8_Z5jdHi6B=myT")).isEqualTo(new IdFormat.Fault(17, "has a '='"));
        assertThat(IdSchemes.NANOID.fault("V1StGXR8_Z5jdHi6B-myTx"))
                .isEqualTo(new IdFormat.Fault(-1, "has 22 characters"));
    }

    @Property(tries = 5_000)
    void nanoidOfAnyBits_isWhatTheJdkWrites(@ForAll long high, @ForAll long low) {
        ParsedId id = new ParsedId(IdSchemes.NANOID, high >>> 2, low);
        // 18 bytes: a one, so that leading zeros count, and 18 bits that make 144
        byte[] bits = number(0, high >>> 2, low).setBit(136).toByteArray();
        String expected = Base64.getUrlEncoder().encodeToString(bits).substring(3);

        assertThat(id.text()).isEqualTo(expected);
        assertThat(IdSchemes.NANOID.parse(expected)).isEqualTo(id);
    }

    /** As tsid-creator 5.2.6 reads and writes them. The benchmark compares more of them with the library itself. */
    @Example
    void tsidsOfTheLibrary_areRead() {
        assertTsid("0000000000000", 0, "2020-01-01T00:00:00Z");
        assertTsid("0000000000001", 1, "2020-01-01T00:00:00Z");
        assertTsid("01226N0640J7K", 0x008846a80c4048f3L, "2020-04-15T20:22:07.665Z");
        assertTsid("028T5CY4TQKFF", 0x0123456789abcdefL, "2020-08-14T05:41:13.382Z");
        assertTsid("0AXS476XC0Y8Z", 0x05772439bac0791fL, "2022-12-22T17:53:17.035Z");
        assertTsid("7ZZZZZZZZZZZZ", Long.MAX_VALUE, "2089-09-06T15:47:35.551Z");
        assertTsid("8000000000000", Long.MIN_VALUE, "2089-09-06T15:47:35.552Z");
        assertTsid("FZZZZZZZZZZZZ", -1, "2159-05-15T07:35:11.103Z");
        assertThat(IdSchemes.TSID.fault("G000000000000")).isEqualTo(new IdFormat.Fault(0, "exceeds 64 bits"));
        assertThat(IdSchemes.TSID.fault("0AXS476XC0Y8z")).isEqualTo(new IdFormat.Fault(12, "has a 'z'"));
        assertThat(IdSchemes.TSID.fault("0AXS476XCOY8Z")).isEqualTo(new IdFormat.Fault(9, "has a 'O'"));
        assertThat(IdSchemes.TSID.isValid("0axs476xc0y8z")).isFalse();
    }

    private static void assertTsid(String text, long number, String time) {
        ParsedId id = IdSchemes.TSID.parse(text);
        assertThat(id.low()).isEqualTo(number);
        assertThat(id.high()).isZero();
        assertThat(id.time()).contains(Instant.parse(time));
        assertThat(id.random()).contains(String.format("%06x", number & 0x3F_FFFF));
        assertThat(id.text()).isEqualTo(text);
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
