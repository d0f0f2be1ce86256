package dev.semel.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.BigRange;
import net.jqwik.api.constraints.StringLength;
import org.jspecify.annotations.Nullable;

/** Generates values, encodes them in random ways, canonicalizes them, and parses the result with an independent parser. */
class CanonicalPropertiesTest {

    @Property(tries = 2_000)
    void encodingAndMemberOrder_doNotMatter(@ForAll long seed) {
        Random random = new Random(seed);
        Object value = value(random, 4);
        String canonical = Canonical.of(encoded(value, random));
        assertThat(Canonical.of(encoded(value, random))).isEqualTo(canonical);
        assertThat(Canonical.of(canonical)).isEqualTo(canonical);
    }

    @Property(tries = 2_000)
    void canonicalText_saysTheSameToAnotherReader(@ForAll long seed) {
        Random random = new Random(seed);
        Object value = value(random, 4);
        SimpleReader reader = new SimpleReader(Canonical.of(encoded(value, random)));
        assertThat(reader.read()).isEqualTo(value);
        assertThat(reader.allSorted).isTrue();
    }

    @Property(tries = 2_000)
    void differentIntegers_differ(
            @ForAll @BigRange(min = "-100000000000000000000000", max = "100000000000000000000000") BigInteger integer,
            @ForAll @BigRange(min = "1", max = "5000") BigInteger distance) {
        String one = Canonical.of(integer.toString());
        String other = Canonical.of(integer.add(distance).toString());
        assertThat(one).isNotEqualTo(other);
        assertThat(new BigDecimal(one)).isEqualByComparingTo(new BigDecimal(integer));
        assertThat(Canonical.of(one)).isEqualTo(one);
    }

    @Property(tries = 2_000)
    void names_areInOrderOfCodeUnits(@ForAll long seed) {
        Random random = new Random(seed);
        String one = string(random);
        String other = random.nextInt(4) == 0 ? one + string(random) : string(random);
        String text = "{" + quoted(one, random) + ":1," + quoted(other, random) + ":2}";
        int order = one.compareTo(other);
        if (order == 0) {
            assertThatThrownBy(() -> Canonical.of(text)).hasMessageContaining("duplicate member");
        } else {
            assertThat(Canonical.of(text)).endsWith(order < 0 ? ":2}" : ":1}");
        }
    }

    @Property(tries = 500)
    void anyString_isAcceptedOrRejected(@ForAll @StringLength(max = 40) String text) {
        assertCanonicalOrRejected(text.getBytes(UTF_8));
    }

    @Property(tries = 2_000)
    void mutatedText_isAcceptedOrRejected(@ForAll long seed) {
        Random random = new Random(seed);
        byte[] text = encoded(value(random, 4), random).getBytes(UTF_8);
        for (int i = 0; i < 20; i++) {
            assertCanonicalOrRejected(mutated(text, random));
        }
    }

    @Property(tries = 1_000)
    void randomBytes_areAcceptedOrRejected(@ForAll long seed) {
        Random random = new Random(seed);
        byte[] bytes = new byte[random.nextInt(40)];
        random.nextBytes(bytes);
        assertCanonicalOrRejected(bytes);
        byte[] likely = "{}[]\",:\\u0019e+-. \ntruefalsn\u00e9\ud83d\ude00".getBytes(UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = likely[random.nextInt(likely.length)];
        }
        assertCanonicalOrRejected(bytes);
    }

    private static void assertCanonicalOrRejected(byte[] text) {
        byte[] canonical;
        try {
            canonical = Json.canonical(text);
        } catch (MalformedJsonException e) {
            assertThat(e.offset()).isBetween(0, text.length);
            assertThat(e.getMessage()).matches("[ -~…]+");
            return;
        }
        assertThat(Json.canonical(canonical)).isEqualTo(canonical);
        SimpleReader reader = new SimpleReader(new String(canonical, UTF_8));
        reader.read();
        assertThat(reader.allSorted).isTrue();
    }

    private static byte[] mutated(byte[] text, Random random) {
        byte[] mutated = text.clone();
        int place = random.nextInt(mutated.length);
        switch (random.nextInt(4)) {
            case 0 -> mutated[place] = (byte) random.nextInt(256);
            case 1 -> mutated[place] = text[random.nextInt(text.length)];
            case 2 -> mutated[place] ^= (byte) (1 << random.nextInt(8));
            default -> mutated = Arrays.copyOf(mutated, place);
        }
        return mutated;
    }

    private static @Nullable Object value(Random random, int depth) {
        return switch (random.nextInt(depth == 0 ? 5 : 8)) {
            case 0 -> string(random);
            case 1 -> Double.valueOf(random.nextInt(2_000_000) - 1_000_000) / 100;
            case 2 -> (double) (random.nextLong() >> random.nextInt(64)) * Math.pow(2, random.nextInt(80) - 40);
            case 3 -> random.nextBoolean();
            case 4 -> null;
            case 5 -> {
                List<@Nullable Object> list = new ArrayList<>();
                for (int i = random.nextInt(5); i > 0; i--) {
                    list.add(value(random, depth - 1));
                }
                yield list;
            }
            default -> {
                Map<String, @Nullable Object> map = new LinkedHashMap<>();
                for (int i = random.nextInt(random.nextInt(20) == 0 ? 60 : 6); i > 0; i--) {
                    map.put(string(random), value(random, depth - 1));
                }
                yield map;
            }
        };
    }

    private static String string(Random random) {
        int[] from = {0, 'a', 'a', 0x22, 0x5A, 0xE0, 0x7F0, 0xD7F0, 0xDFF0, 0xFFF0, 0x1F600};
        StringBuilder string = new StringBuilder();
        for (int i = random.nextInt(5); i > 0; i--) {
            int c = from[random.nextInt(from.length)] + random.nextInt(32);
            if (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE) {
                string.appendCodePoint(c);
            }
        }
        return string.toString();
    }

    private static String encoded(@Nullable Object value, Random random) {
        String encoded;
        if (value instanceof String string) {
            encoded = quoted(string, random);
        } else if (value instanceof Double number) {
            BigDecimal exact = new BigDecimal(number);
            encoded = switch (random.nextInt(3)) {
                case 0 -> exact.toPlainString() + (exact.scale() > 0 ? "000" : ".0");
                case 1 -> exact.unscaledValue() + "E" + -exact.scale();
                default -> number.toString();
            };
        } else if (value instanceof List<?> list) {
            List<String> items = new ArrayList<>();
            list.forEach(item -> items.add(encoded(item, random)));
            encoded = "[" + String.join(",", items) + space(random) + "]";
        } else if (value instanceof Map<?, ?> map) {
            List<String> members = new ArrayList<>();
            map.forEach((name, member) -> members.add(
                    space(random) + quoted((String) name, random) + space(random) + ":" + encoded(member, random)));
            Collections.shuffle(members, random);
            encoded = "{" + String.join(",", members) + space(random) + "}";
        } else {
            encoded = String.valueOf(value);
        }
        return space(random) + encoded + space(random);
    }

    private static String space(Random random) {
        return random.nextInt(3) == 0 ? " \t\r\n".substring(random.nextInt(4)) : "";
    }

    private static String quoted(String string, Random random) {
        StringBuilder quoted = new StringBuilder("\"");
        boolean escape = false;
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            if (!Character.isLowSurrogate(c)) { // escape both surrogates of a pair, or neither
                escape = random.nextInt(4) == 0;
            }
            if (c < ' ' || c == '"' || c == '\\' || escape) {
                quoted.append(String.format(random.nextBoolean() ? "\\u%04x" : "\\u%04X", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    /** A simple parser of valid JSON without spaces. */
    private static final class SimpleReader {

        private final String text;
        private int at;
        private boolean allSorted = true;

        SimpleReader(String text) {
            this.text = text;
        }

        @Nullable Object read() {
            Object value = value();
            assertThat(at).isEqualTo(text.length());
            return value;
        }

        private @Nullable Object value() {
            return switch (text.charAt(at)) {
                case '"' -> string();
                case '[' -> list();
                case '{' -> map();
                default -> word();
            };
        }

        private List<@Nullable Object> list() {
            List<@Nullable Object> list = new ArrayList<>();
            while (more(']')) {
                list.add(value());
            }
            return list;
        }

        private Map<String, @Nullable Object> map() {
            Map<String, @Nullable Object> map = new LinkedHashMap<>();
            while (more('}')) {
                String name = string();
                assertThat(text.charAt(at++)).isEqualTo(':');
                map.put(name, value());
            }
            allSorted &= List.copyOf(map.keySet()).equals(List.copyOf(new TreeMap<>(map).keySet()));
            return map;
        }

        private @Nullable Object word() {
            int start = at;
            while (at < text.length() && ",]}".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            String word = text.substring(start, at);
            return switch (word) {
                case "null" -> null;
                case "true" -> true;
                case "false" -> false;
                default -> Double.valueOf(word);
            };
        }

        /** Whether an element follows the current bracket or comma. */
        private boolean more(char end) {
            at++;
            if (text.charAt(at - 1) == end) {
                return false;
            }
            if (text.charAt(at) == end) {
                at++;
                return false;
            }
            return true;
        }

        private String string() {
            StringBuilder string = new StringBuilder();
            for (at++; text.charAt(at) != '"'; at++) {
                char c = text.charAt(at);
                if (c == '\\') {
                    char escape = text.charAt(++at);
                    int known = "btnfr".indexOf(escape);
                    if (escape == 'u') {
                        c = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
                        at += 4;
                    } else {
                        c = known < 0 ? escape : "\b\t\n\f\r".charAt(known);
                    }
                }
                string.append(c);
            }
            at++;
            return string.toString();
        }
    }
}
