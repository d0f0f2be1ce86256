package dev.semel.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages that list evidence name tests that exist. */
class TestedTest {

    private static final Pattern NAMED = Pattern.compile("`([A-Z]\\w+(?:Test|IT|Contract))\\.(\\w+)`");

    @ParameterizedTest
    @ValueSource(strings = {"docs/reference/tested.md", "docs/reference/outbox.md", "docs/operating/threat-model.md"})
    void testsNamedOnThePage_exist(String page) throws IOException {
        List<MatchResult> named = NAMED.matcher(Files.readString(Repository.ROOT.resolve(page)))
                .results()
                .toList();
        assertThat(named).hasSizeGreaterThan(10);
        for (MatchResult test : named) {
            assertThat(source(test.group(1))).as(test.group()).contains(" void " + test.group(2) + "(");
        }
    }

    private static String source(String name) throws IOException {
        for (Path sources : Repository.sources()) {
            try (Stream<Path> files = Files.walk(sources)) {
                Optional<Path> file =
                        files.filter(path -> path.endsWith(name + ".java")).findFirst();
                if (file.isPresent()) {
                    return Files.readString(file.get());
                }
            }
        }
        return "";
    }
}
