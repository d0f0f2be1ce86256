package dev.semel.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every command shown in the documentation prints what is shown below it. */
class ConsoleIT {

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#]*)[^)]*\\)");

    record Example(Path page, int line, String command, String shown) {
        @Override
        public String toString() {
            return Repository.ROOT.relativize(page) + ":" + line + " " + command;
        }
    }

    static Stream<Example> examples() throws Exception {
        List<Example> examples = new ArrayList<>();
        for (Path page : Repository.pages()) {
            List<String> lines = Files.readAllLines(page);
            boolean console = false;
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i);
                if (line.startsWith("```")) {
                    console = line.equals("```console");
                } else if (console && line.startsWith("$ ")) {
                    List<String> shown = lines.subList(i + 1, lines.size()).stream()
                            .takeWhile(next -> !next.startsWith("$ ") && !next.startsWith("```"))
                            .toList();
                    examples.add(new Example(page, i + 1, line.substring(2), String.join("\n", shown)));
                }
            }
        }
        return examples.stream();
    }

    @ParameterizedTest
    @MethodSource("examples")
    void commandOfAPage_printsWhatThePageShows(Example example) throws Exception {
        Repository.Printed printed = Repository.bash(Repository.ROOT, example.command());
        Shape.assertSame(example.toString(), example.shown(), printed.text());
    }

    @Test
    void examples_areFound() throws Exception {
        assertThat(examples()
                        .map(example ->
                                Repository.ROOT.relativize(example.page()).toString()))
                .contains("README.md", "docs/keys.md", "docs/command-line.md")
                .hasSizeGreaterThan(15);
    }

    @Test
    void linksBetweenPages_leadSomewhere() throws Exception {
        for (Path page : Repository.pages()) {
            LINK.matcher(Files.readString(page))
                    .results()
                    .map(link -> link.group(1))
                    .filter(link -> !link.isEmpty() && !link.contains("://"))
                    .forEach(link -> assertThat(page.resolveSibling(link)).exists());
        }
    }

    /** Block types that nobody runs would rot. */
    @Test
    void blocksOfPages_areOfKindsThatAreRun() throws Exception {
        for (Path page : Repository.pages()) {
            assertThat(Files.readAllLines(page).stream().filter(line -> line.startsWith("```")))
                    .as(page.toString())
                    .isSubsetOf("```console", "```java", "```");
        }
    }
}
