package dev.semel.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.id.IdScheme;
import dev.semel.id.IdSchemes;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Compares the output of an example with its page: random ids and times by their form, and {@code …} with anything. */
final class Shape {

    private static final Pattern TOKEN = Pattern.compile("[0-9A-Za-z_-]+");

    private static final Pattern TIME = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z");

    /** Counted ids are deterministic, so they are compared exactly. */
    private static final List<IdScheme> RANDOM =
            IdSchemes.all().stream().filter(scheme -> scheme.randomBits() > 0).toList();

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
            return scheme(token)
                    .or(() -> scheme(token.substring(token.indexOf('-') + 1))) // with a prefix
                    .map(scheme -> "<" + scheme + ">")
                    .orElse(token);
        });
    }

    private static Optional<IdScheme> scheme(String id) {
        return RANDOM.stream().filter(scheme -> scheme.isValid(id)).findFirst();
    }
}
