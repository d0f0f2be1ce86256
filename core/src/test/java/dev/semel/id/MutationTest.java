package dev.semel.id;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Mutates valid ids a million times, and checks that validation and parsing agree. */
class MutationTest {

    private static final String INTERESTING =
            "0O1lIL-_=+/ \n\0gGzZ{|٣۵\u00B2\u0660\uD800\uDC00\uFFFF\u0130\u017F\u212A";

    @Test
    void millionMutatedIds_areValidExactlyWhenTheyParse() {
        Random random = new Random(7);
        List<IdScheme> schemes = Schemes.all();
        int valid = 0;
        for (int i = 0; i < 1_000_000; i++) {
            IdScheme scheme = schemes.get(i % schemes.size());
            String text = mutated(scheme.mint(), random);
            boolean isValid = scheme.isValid(text);
            assertThat(isValid).isEqualTo(scheme.fault(text) == null);
            if (isValid) {
                valid++;
                assertThat(scheme.parse(text).text()).isEqualTo(text);
            } else if (i % 16 == 0) { // building a million errors would dominate the run time
                IdSchemeContractTest.assertAgreement(scheme, text);
            }
        }
        assertThat(valid).as("some mutations give another valid id").isBetween(10_000, 900_000);
    }

    private static String mutated(String id, Random random) {
        StringBuilder text = new StringBuilder(id);
        for (int times = 1 + random.nextInt(3); times > 0; times--) {
            int place = random.nextInt(text.length() + 1);
            switch (random.nextInt(8)) {
                case 0 -> text.insert(place, id.charAt(random.nextInt(id.length())));
                case 1 -> text.insert(place, INTERESTING.charAt(random.nextInt(INTERESTING.length())));
                case 2 -> text.setLength(place);
                case 3 -> text.append(text, 0, place);
                case 4 -> text.replace(0, place, text.substring(0, place).toUpperCase(Locale.ROOT));
                case 5 -> text.reverse();
                case 6 -> set(text, place, (char) random.nextInt(Character.MAX_VALUE + 1));
                default -> set(text, place, id.charAt(random.nextInt(id.length())));
            }
        }
        return text.toString();
    }

    private static void set(StringBuilder text, int place, char c) {
        if (place < text.length()) {
            text.setCharAt(place, c);
        }
    }
}
