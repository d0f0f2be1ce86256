package dev.semel.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples of RFC 8785 and of its author's collection. */
@Tag("jdk")
class Rfc8785Test {

    /** Appendix B of the RFC: the bits of a double and its representation. */
    @ParameterizedTest
    @CsvSource({
        "0000000000000000, 0",
        "8000000000000000, 0",
        "0000000000000001, 5e-324",
        "8000000000000001, -5e-324",
        "7fefffffffffffff, 1.7976931348623157e+308",
        "ffefffffffffffff, -1.7976931348623157e+308",
        "4340000000000000, 9007199254740992",
        "c340000000000000, -9007199254740992",
        "4430000000000000, 295147905179352830000",
        "44b52d02c7e14af5, 9.999999999999997e+22",
        "44b52d02c7e14af6, 1e+23",
        "44b52d02c7e14af7, 1.0000000000000001e+23",
        "444b1ae4d6e2ef4e, 999999999999999700000",
        "444b1ae4d6e2ef4f, 999999999999999900000",
        "444b1ae4d6e2ef50, 1e+21",
        "3eb0c6f7a0b5ed8c, 9.999999999999997e-7",
        "3eb0c6f7a0b5ed8d, 0.000001",
        "41b3de4355555553, 333333333.3333332",
        "41b3de4355555554, 333333333.33333325",
        "41b3de4355555555, 333333333.3333333",
        "41b3de4355555556, 333333333.3333334",
        "41b3de4355555557, 333333333.33333343",
        "becbf647612f3696, -0.0000033333333333333333",
        "43143ff3c1cb0959, 1424953923781206.2"
    })
    void doubleOfAppendixB_isPrintedAsThere(String bits, String expected) {
        double value = Double.longBitsToDouble(Long.parseUnsignedLong(bits, 16));
        assertThat(Canonical.of(String.format("%.20e", value))).isEqualTo(expected);
        assertThat(Canonical.of(new BigDecimal(value).toPlainString() + (value % 1 == 0 ? ".0" : "")))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0, 0",
        "0.0, 0",
        "-0.00, 0",
        "-0e5, 0",
        "-0.000e-5, 0",
        "-1, -1",
        "100, 100",
        "100.00, 100",
        "-12.50, -12.5",
        "0.50, 0.5",
        "-0.05, -0.05",
        "0.0000010, 0.000001",
        "0.0000001, 1e-7",
        "-0.00000012345, -1.2345e-7",
        "12345678901234.50, 12345678901234.5",
        "123456789012345, 123456789012345",
        "1e-400, 0",
        "1.5E+3, 1500",
        "1e20, 100000000000000000000",
        "1e21, 1e+21"
    })
    void number_hasOneEncoding(String literal, String expected) {
        assertThat(Canonical.of(literal)).isEqualTo(expected);
        assertThat(Canonical.of("[" + literal + " ]")).isEqualTo("[" + expected + "]");
    }

    @Test
    void sortingExample_isInOrderOfCodeUnits() {
        assertThat(Canonical.of("""
                        {
                          "\\u20ac": "Euro Sign",
                          "\\r": "Carriage Return",
                          "\\ufb33": "Hebrew Letter Dalet With Dagesh",
                          "1": "One",
                          "\\ud83d\\ude00": "Emoji: Grinning Face",
                          "\\u0080": "Control",
                          "\\u00f6": "Latin Small Letter O With Diaeresis"
                        }
                        """))
                .isEqualTo("{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\","
                        + "\"\u00f6\":\"Latin Small Letter O With Diaeresis\",\"\u20ac\":\"Euro Sign\","
                        + "\"\ud83d\ude00\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}");
    }

    @Test
    void arrays_keepTheirOrder() {
        assertThat(Canonical.of("[\n  56,\n  {\n    \"d\": true,\n    \"10\": null,\n    \"1\": [ ]\n  }\n]\n"))
                .isEqualTo("[56,{\"1\":[],\"10\":null,\"d\":true}]");
    }

    @Test
    void french_isSortedWithoutRegardToLocale() {
        assertThat(Canonical.of("""
                        {
                          "peach": "This sorting order",
                          "p\u00e9ch\u00e9": "is wrong according to French",
                          "p\u00eache": "but canonicalization MUST",
                          "sin":   "ignore locale"
                        }
                        """))
                .isEqualTo("{\"peach\":\"This sorting order\",\"p\u00e9ch\u00e9\":\"is wrong according to French\","
                        + "\"p\u00eache\":\"but canonicalization MUST\",\"sin\":\"ignore locale\"}");
    }

    @Test
    void structures_areSortedAtEveryLevel() {
        assertThat(Canonical.of("""
                        {
                          "1": {"f": {"f": "hi","F": 5} ,"\\n": 56.0},
                          "10": { },
                          "": "empty",
                          "a": { },
                          "111": [ {"e": "yes","E": "no" } ],
                          "A": { }
                        }"""))
                .isEqualTo("{\"\":\"empty\",\"1\":{\"\\n\":56,\"f\":{\"F\":5,\"f\":\"hi\"}},\"10\":{},"
                        + "\"111\":[{\"E\":\"no\",\"e\":\"yes\"}],\"A\":{},\"a\":{}}");
    }

    @Test
    void unicode_isNotNormalized() {
        assertThat(Canonical.of("{\n  \"Unnormalized Unicode\":\"A\\u030a\"\n}\n"))
                .isEqualTo("{\"Unnormalized Unicode\":\"A\u030a\"}");
    }

    @Test
    void values_haveOneEncoding() {
        assertThat(Canonical.of("""
                        {
                          "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
                          "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
                          "literals": [null, true, false]
                        }"""))
                .isEqualTo("{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
                        + "\"string\":\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
    }

    @Test
    void weirdNames_areInOrderOfCodeUnits() {
        assertThat(Canonical.of("""
                        {
                          "\\u20ac": "Euro Sign",
                          "\\r": "Carriage Return",
                          "\\u000a": "Newline",
                          "1": "One",
                          "\\u0080": "Control\\u007f",
                          "\\ud83d\\ude02": "Smiley",
                          "\\u00f6": "Latin Small Letter O With Diaeresis",
                          "\\ufb33": "Hebrew Letter Dalet With Dagesh",
                          "</script>": "Browser Challenge"
                        }
                        """))
                .isEqualTo("{\"\\n\":\"Newline\",\"\\r\":\"Carriage Return\",\"1\":\"One\","
                        + "\"</script>\":\"Browser Challenge\",\"\u0080\":\"Control\u007f\","
                        + "\"\u00f6\":\"Latin Small Letter O With Diaeresis\",\"\u20ac\":\"Euro Sign\","
                        + "\"\ud83d\ude02\":\"Smiley\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}");
    }

    @ParameterizedTest
    @CsvSource({
        "9007199254740991, 9007199254740991",
        "9007199254740993, 9007199254740993",
        "-9007199254740993, -9007199254740993",
        "12345678901234567890, 12345678901234567890",
        "1152921504606846976, 1152921504606846976",
        "1152921504606847000, 1152921504606847000",
        "1152921504606846976.0, 1152921504606847000",
        "9007199254740993.0, 9007199254740992",
        "100000000000000000000, 100000000000000000000",
        "1000000000000000000000, 1e+21",
        "-1000000000000000000000, -1e+21",
        "1000000000000000000001, 1000000000000000000001",
        "123456789012345678e0, 123456789012345680"
    })
    void integerBeyondTheDoubles_keepsItsDigits(String literal, String expected) {
        assertThat(Canonical.of(literal)).isEqualTo(expected);
    }

    @Test
    void integerTooBigForADouble_keepsItsDigits() {
        String power = "1" + "0".repeat(400);
        assertThat(Canonical.of(power)).isEqualTo(power);
        assertThat(Canonical.of("1" + "0".repeat(308))).isEqualTo("1e+308");
    }
}
