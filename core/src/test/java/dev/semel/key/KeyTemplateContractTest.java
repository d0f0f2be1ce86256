package dev.semel.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.id.IdFormat;
import dev.semel.id.IdScheme;
import dev.semel.id.IdSchemes;
import dev.semel.id.MalformedException;
import dev.semel.id.TextFormat;
import dev.semel.key.KeyTemplate.Part;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** The contract of {@link KeyTemplate}, for arbitrary templates. */
class KeyTemplateContractTest {

    private static final IdScheme COUNTED = IdSchemes.SEQ10.drawingFrom(new AtomicLong(1)::getAndIncrement);

    /** Generates templates. Most are valid, and some are ambiguous. */
    @Provide
    Arbitrary<String> templates() {
        Arbitrary<String> types = Arbitraries.of(Stream.concat(IdSchemes.all().stream(), TextFormat.all().stream())
                .map(IdFormat::name)
                .toList());
        Arbitrary<String> separators = Arbitraries.of("", "-", "_", ":", "/", "_tag_", "-x", "_-", "g:", "..", "=");
        Arbitrary<List<String>> parts = Combinators.combine(separators, types)
                .as((s, t) -> s + "{#:" + t + "}")
                .list()
                .ofMinSize(1)
                .ofMaxSize(5);
        return Combinators.combine(parts, separators).as((list, end) -> {
            StringBuilder template = new StringBuilder();
            for (int i = 0; i < list.size(); i++) {
                template.append(list.get(i).replace("#", "p" + i));
            }
            return template + end;
        });
    }

    private static KeyTemplate declared(String text) {
        try {
            return KeyTemplate.of(text);
        } catch (MalformedException e) {
            assertThat(e).hasMessageContaining("cannot be split back");
            Assume.that(false);
            throw e;
        }
    }

    @Property(tries = 5_000)
    void builtKey_splitsBackIntoItsParts(@ForAll @From("templates") String text, @ForAll Random random) {
        KeyTemplate template = declared(text);
        Map<String, String> values = values(template, random);

        String key = template.key(values);

        assertThat(template.parse(key)).containsExactlyEntriesOf(values);
        assertThat(template.isValid(key)).isTrue();
        assertThat(key.length()).isBetween(template.minLength(), template.maxLength());
        assertThat(template.alphabet()).contains(key.split(""));
    }

    @Property(tries = 5_000)
    void rangeOfTheFirstParts_holdsExactlyTheKeysThatShareThem(
            @ForAll @From("templates") String text, @ForAll Random random, @ForAll @IntRange(max = 5) int fixing) {
        KeyTemplate template = declared(text);
        int fixed = Math.min(fixing, template.parts().size());
        Map<String, String> one = values(template, random);
        Map<String, String> other = values(template, random);
        template.parts().stream().limit(random.nextInt(fixed + 1)).forEach(p -> other.put(p.name(), one.get(p.name())));
        Map<String, String> prefix = firstOf(template, one, fixed);

        KeyRange range = template.range(prefix);

        assertThat(range.contains(template.key(one))).isTrue();
        assertThat(range.contains(template.key(other)))
                .isEqualTo(firstOf(template, other, fixed).equals(prefix));
    }

    @Property(tries = 5_000)
    void anyText_isValidExactlyWhenItParses(
            @ForAll @From("templates") String text,
            @ForAll Random random,
            @ForAll char wrong,
            @ForAll @IntRange(max = 200) int place) {
        KeyTemplate template = declared(text);
        StringBuilder key = new StringBuilder(template.key(values(template, random)));
        if (wrong % 3 == 0) {
            key.insert(place % key.length(), wrong);
        } else if (wrong % 3 == 1) {
            key.setCharAt(place % key.length(), wrong);
        } else {
            key.deleteCharAt(place % key.length());
        }
        assertAgreement(template, key.toString());
    }

    private static void assertAgreement(KeyTemplate template, String key) {
        if (template.isValid(key)) {
            assertThat(template.key(template.parse(key))).isEqualTo(key);
        } else {
            assertThatThrownBy(() -> template.parse(key)).isInstanceOfSatisfying(MalformedException.class, e -> {
                assertThat(e.at()).isBetween(0, key.length());
                assertThat(e.expected()).isNotEmpty();
                assertThat(e.field())
                        .isIn(Stream.concat(
                                        Stream.of("key"),
                                        template.parts().stream().map(Part::name))
                                .toList());
            });
        }
    }

    private static Map<String, String> firstOf(KeyTemplate template, Map<String, String> values, int count) {
        Map<String, String> first = new LinkedHashMap<>();
        template.parts().stream().limit(count).forEach(part -> first.put(part.name(), values.get(part.name())));
        return first;
    }

    private static Map<String, String> values(KeyTemplate template, Random random) {
        Map<String, String> values = new LinkedHashMap<>();
        template.parts().forEach(part -> values.put(part.name(), value(part.format(), random)));
        return values;
    }

    /** Generates a valid value. Texts are short and use few characters, so that they often contain separators. */
    private static String value(IdFormat format, Random random) {
        if (format instanceof IdScheme scheme && scheme.isCounted()) {
            String number = COUNTED.mint();
            return number.substring(number.length() - format.maxLength());
        }
        if (format instanceof IdScheme scheme) {
            return scheme.mint();
        }
        String letters = format == TextFormat.HEX ? "0af" : format == TextFormat.WORD ? "_tagx0" : "_-tagx0";
        StringBuilder value = new StringBuilder();
        for (int length = 1 + random.nextInt(6); length > 0; length--) {
            value.append(letters.charAt(random.nextInt(letters.length())));
        }
        return value.toString();
    }

    @Property
    void prefixRange_holdsExactlyWhatStartsWithThePrefix(@ForAll String prefix, @ForAll String key) {
        Assume.that(isText(prefix) && isText(key));
        KeyRange range = KeyRange.ofPrefix(prefix);

        assertThat(range.contains(key)).isEqualTo(key.startsWith(prefix));
        assertThat(range.contains(prefix + key)).isTrue();
        assertThat(KeyRange.ofKey(prefix).contains(prefix)).isTrue();
        assertThat(KeyRange.ofKey(prefix).contains(prefix + key)).isEqualTo(key.isEmpty());
    }

    /** Lone surrogates have no encoding in UTF-8. */
    private static boolean isText(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).equals(text);
    }
}
