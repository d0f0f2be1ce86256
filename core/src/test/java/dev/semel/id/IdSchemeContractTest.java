package dev.semel.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** The contract of {@link IdScheme}, for every scheme. */
class IdSchemeContractTest {

    @Provide
    Arbitrary<IdScheme> schemes() {
        return Arbitraries.of(Schemes.all());
    }

    /** Generates any sequence of UTF-16 code units, including lone surrogates. */
    @Provide
    Arbitrary<String> anyText() {
        return Arbitraries.oneOf(
                Arbitraries.strings().all().ofMaxLength(60),
                Arbitraries.strings().ascii().ofMaxLength(60),
                Arbitraries.strings().numeric().ofMinLength(5).ofMaxLength(40),
                Arbitraries.strings()
                        .withChars("0123456789abcdefABCDEF-")
                        .ofMinLength(5)
                        .ofMaxLength(40),
                Arbitraries.strings()
                        .withChars("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_")
                        .ofMinLength(7)
                        .ofMaxLength(36));
    }

    @Provide
    Arbitrary<Instant> times() {
        return Arbitraries.longs()
                .between(
                        Instant.parse("2020-01-01T00:00:00Z").toEpochMilli(),
                        Instant.parse("2099-12-30T00:00:00Z").toEpochMilli())
                .map(Instant::ofEpochMilli);
    }

    @Property
    void mintedId_readsBackAsItself(@ForAll @From("schemes") IdScheme scheme) {
        String id = scheme.mint();

        assertThat(scheme.isValid(id)).isTrue();
        assertThat(scheme.fault(id)).isNull();
        assertThat(scheme.parse(id).text()).isEqualTo(id);
        assertThat(scheme.parse(id).scheme()).isSameAs(scheme);
        assertThat(id.length()).isBetween(scheme.minLength(), scheme.maxLength());
        assertThat(scheme.alphabet()).contains(id.split(""));
    }

    @Property(tries = 20_000)
    void anyText_isValidExactlyWhenItParses(
            @ForAll @From("schemes") IdScheme scheme, @ForAll @From("anyText") String text) {
        assertAgreement(scheme, text);
    }

    @Property(tries = 20_000)
    void textOneCharacterOff_isValidExactlyWhenItParses(
            @ForAll @From("schemes") IdScheme scheme, @ForAll char wrong, @ForAll @IntRange(max = 40) int place) {
        StringBuilder text = new StringBuilder(scheme.mint());
        text.setCharAt(place % text.length(), wrong);

        assertAgreement(scheme, text.toString());
    }

    /** The text is valid for all methods, or for none, and the error names the fault. */
    static void assertAgreement(IdScheme scheme, String text) {
        if (scheme.isValid(text)) {
            assertThat(scheme.fault(text)).isNull();
            assertThat(scheme.parse(text).text()).isEqualTo(text);
            assertThat(scheme.check("field", text)).isEqualTo(text);
        } else {
            assertThat(scheme.fault(text)).isNotNull();
            assertThatThrownBy(() -> scheme.parse(text)).isInstanceOfSatisfying(MalformedException.class, e -> {
                assertThat(e.value()).isEqualTo(text);
                assertThat(e.field()).isEqualTo(scheme.name());
                assertThat(e.expected()).isEqualTo(scheme.expected());
                assertThat(e.at()).isBetween(-1, text.length() - 1);
                assertThat(e).hasMessageContaining(e.problem()).hasMessageMatching("\\P{Cntrl}+");
            });
        }
    }

    @Example
    void hostileTexts_areInvalidAndSaidToBe() {
        for (IdScheme scheme : Schemes.all()) {
            String id = scheme.mint();
            assertThat(scheme.isValid(null)).isFalse();
            assertThatThrownBy(() -> scheme.parse(null))
                    .isInstanceOf(MalformedException.class)
                    .hasMessageContaining("is missing");
            for (String text : new String[] {
                "",
                " ",
                id + " ",
                " " + id,
                id + "\n",
                id + "\0",
                id + "=",
                id + id,
                id.substring(1),
                "\ud800".repeat(id.length()),
                "\udfff" + id.substring(1),
                "٠".repeat(id.length()), // digits, but not ASCII
                "０".repeat(id.length()),
                "\u0130".repeat(id.length()), // lower case is two characters
                "x".repeat(1 << 20),
                id.repeat((1 << 20) / id.length())
            }) {
                assertThat(scheme.isValid(text))
                        .as("%s %s", scheme, text.length())
                        .isFalse();
                assertAgreement(scheme, text);
            }
        }
    }

    /** Rejects characters that share the low byte, or the low seven bits, with a valid one. */
    @Example
    void everyCharacterInEveryPlace_isTakenForNoOther() {
        for (IdScheme scheme : Schemes.all()) {
            String id = scheme.mint();
            for (int place = 0; place < id.length(); place++) {
                StringBuilder text = new StringBuilder(id);
                for (int c = 0; c <= Character.MAX_VALUE; c++) {
                    text.setCharAt(place, (char) c);
                    if (scheme.isValid(text.toString())) {
                        assertThat(scheme.alphabet()).contains(Character.toString((char) c));
                        assertThat(scheme.parse(text.toString()).text()).isEqualTo(text.toString());
                    }
                }
            }
        }
    }

    /** An id in the other case, or with a character that looks like another, is not another encoding of the same id. */
    @Property
    void variantOfAnId_isNoOtherEncodingOfIt(@ForAll @From("schemes") IdScheme scheme) {
        String id = scheme.mint();
        for (String variant : new String[] {
            id.toUpperCase(Locale.ROOT),
            id.toLowerCase(Locale.ROOT),
            id.replace('0', 'O'),
            id.replace('0', 'o'),
            id.replace('1', 'I'),
            id.replace('1', 'l'),
            id.replace('1', 'i'),
            id.replace("-", "").replace("_", "")
        }) {
            assertAgreement(scheme, variant);
            assertThat(scheme.isValid(variant)
                            && !variant.equals(id)
                            && scheme.parse(variant).equals(scheme.parse(id)))
                    .as("%s and %s", id, variant)
                    .isFalse();
        }
    }

    @Property
    void idAtAGivenTime_holdsIt(@ForAll @From("schemes") IdScheme scheme, @ForAll @From("times") Instant time) {
        scheme.parse(scheme.mintAt(time)).time().ifPresent(held -> {
            ChronoUnit unit = unit(scheme);
            assertThat(held)
                    .isEqualTo(time.atOffset(ZoneOffset.UTC).truncatedTo(unit).toInstant());
        });
    }

    @Property
    void sortableIdsAtLaterTimes_sortLater(
            @ForAll @From("schemes") IdScheme scheme,
            @ForAll @From("times") Instant time,
            @ForAll @IntRange(min = 1, max = 100_000) int units) {
        if (scheme.isSortable()) {
            Instant later = time.plus(Duration.of(units, unit(scheme)));
            if (later.isBefore(Instant.parse("2100-01-01T00:00:00Z"))) {
                assertThat(scheme.mintAt(time)).isLessThan(scheme.mintAt(later));
            }
        }
    }

    private static ChronoUnit unit(IdScheme scheme) {
        String body = scheme.name().substring(scheme.name().startsWith("user_x") ? "user_x-".length() : 0);
        return switch (body) {
            case "tid62", "ksuid" -> ChronoUnit.SECONDS;
            case "day-nonce" -> ChronoUnit.DAYS;
            default -> ChronoUnit.MILLIS;
        };
    }

    @Example
    void namesAndExamples_areDistinct() {
        assertThat(IdSchemes.all()).extracting(IdScheme::name).doesNotHaveDuplicates();
        for (IdScheme scheme : IdSchemes.all()) {
            assertThat(IdSchemes.named(scheme.name())).containsSame(scheme);
        }
        assertThat(IdSchemes.named("uuid5")).isEmpty();
    }

    @Example
    void promisedTraits_areThoseOfTheSpecifications() {
        assertThat(IdSchemes.all())
                .extracting(s -> "%s %d-%d %b %d %s"
                        .formatted(
                                s.name(), s.minLength(), s.maxLength(), s.isSortable(), s.randomBits(), s.lifetime()))
                .containsExactly(
                        "tid62 17-17 true 64 2020 to 2156",
                        "uuid4 36-36 false 122 endless",
                        "uuid4s 32-32 false 122 endless",
                        "uuid464 22-22 false 122 endless",
                        "uuid7 36-36 true 58 1970 to 10889",
                        "ulid 26-26 true 64 1970 to 10889",
                        "seq10 10-10 true 0 9,999,999,999 ids",
                        "seq36 7-7 true 0 78,364,164,095 ids",
                        "ksuid 27-27 true 128 2014 to 2150",
                        "nanoid 21-21 false 126 endless",
                        "typeid 26-26 true 58 1970 to 10889",
                        "tsid 13-13 true 0 2020 to 2159",
                        "day-nonce 9-10 true 8 2000 to 2099");
    }
}
