package dev.semel.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.id.IdScheme;
import dev.semel.id.IdSchemes;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Compares the output of an example with its page: random ids and times by their form, and {@code …} with anything. */
final class Shape {

    private static final Pattern TOKEN = Pattern.compile("[0-9A-Za-z_-]+");

    private static final Pattern TIME = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z");

    /** Many words and numbers are ids too, such as any word of 21 letters. They are compared exactly. */
    private static final Pattern WORD_OR_NUMBER = Pattern.compile("[a-z_-]+|[0-9]+");

    /** Counted ids are deterministic, so they are compared exactly. */
    private static final List<IdScheme> RANDOM =
            IdSchemes.all().stream().filter(scheme -> !scheme.isCounted()).toList();

    private Shape() {}

    static void assertSame(String where, String shown, String printed) {
        String pattern = Pattern.compile("…")
                .splitAsStream(shape(shown) + " ")
                .map(Pattern::quote)
                .collect(Collectors.joining(".*"));
        assertThat(shape(printed) + " ").as(where).matches(Pattern.compile(pattern, Pattern.DOTALL));
    }

    private static String shape(String text) {
        return TOKEN.matcher(TIME.matcher(text.strip()).replaceAll("<time>")).replaceAll(match -> {
            String token = match.group();
            return first(scheme -> isId(scheme, token))
                    .or(() -> first(scheme -> scheme.prefixOf(token)
                            .filter(prefix -> isId(scheme, token.substring(prefix.length() + 1)))
                            .isPresent()))
                    .map(scheme -> "<" + scheme + ">")
                    .orElse(token);
        });
    }

    private static Optional<IdScheme> first(Predicate<IdScheme> condition) {
        return RANDOM.stream().filter(condition).findFirst();
    }

    private static boolean isId(IdScheme scheme, String text) {
        return scheme.isValid(text) && !WORD_OR_NUMBER.matcher(text).matches();
    }
}
