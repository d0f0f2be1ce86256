package dev.semel.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.ServerFixture;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every command shown in the documentation prints what is shown below it. */
class ConsoleIT {

    private static final String SERVER = "http://localhost:8080";
    private static final String END = "--- end of output ---";

    record Example(Path page, int line, String command, String shown) {
        @Override
        public String toString() {
            return Repository.ROOT.relativize(page) + ":" + line + " " + command;
        }
    }

    /** Pages whose commands send requests to a server. */
    static Stream<Path> sessions() throws Exception {
        List<Path> sessions = new ArrayList<>();
        for (Path page : Repository.pages()) {
            if (Files.readString(page).contains("\n$ ")
                    && Files.readString(page).contains(SERVER)) {
                sessions.add(page);
            }
        }
        return sessions.stream();
    }

    static Stream<Example> examples() throws Exception {
        List<Path> sessions = sessions().toList();
        return Repository.pages().stream()
                .filter(page -> !sessions.contains(page) && !page.equals(PostgresPageIT.PAGE))
                .flatMap(page -> examples(page).stream());
    }

    static List<Example> examples(Path page) {
        List<Example> examples = new ArrayList<>();
        try {
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
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return examples;
    }

    @ParameterizedTest
    @MethodSource("examples")
    void commandOfAPage_printsWhatThePageShows(Example example) throws Exception {
        Repository.Printed printed = Repository.bash(Repository.ROOT, example.command());
        Shape.assertSame(example.toString(), example.shown(), printed.text());
    }

    /** A page is one session: its commands share variables and files. */
    @ParameterizedTest
    @MethodSource("sessions")
    void sessionWithAServer_printsWhatThePageShows(Path page) throws Exception {
        List<Example> examples = examples(page);
        try (ServerFixture server = ServerFixture.onMemory()) {
            String script = examples.stream()
                    .map(Example::command)
                    .collect(Collectors.joining("\necho; echo '" + END + "'\n"))
                    .replace(SERVER, "http://localhost:" + server.server().port());
            String[] printed = Repository.bash(Repository.ROOT, script).text().split(END + "\n", -1);
            assertThat(printed).hasSameSizeAs(examples);
            for (int i = 0; i < printed.length; i++) {
                Shape.assertSame(examples.get(i).toString(), examples.get(i).shown(), printed[i].strip());
            }
        }
    }

    @Test
    void examples_areFound() throws Exception {
        assertThat(examples()
                        .map(example ->
                                Repository.ROOT.relativize(example.page()).toString()))
                .contains("docs/concepts/keys.md", "docs/reference/command-line.md")
                .hasSizeGreaterThan(15);
    }

    @Test
    void sessions_areFound() throws Exception {
        assertThat(sessions().map(page -> Repository.ROOT.relativize(page).toString()))
                .contains("docs/start/server.md", "docs/guides/feed.md")
                .hasSizeGreaterThan(5);
    }

    /**
     * Blocks that are not run become outdated. Those of "Java" are parts of a class whose test compares and runs it. {@link QuickStartIT} runs
     * the "bash" of the README, and {@link BrowserPageTest} the page and the script of its guide.
     */
    @Test
    void blocksOfPages_areOfKindsThatAreRun() throws Exception {
        for (Path page : Repository.pages()) {
            List<String> kinds = new ArrayList<>(List.of("```console", "```java", "```Java", "```sql", "```"));
            if (page.equals(QuickStartIT.PAGE)) {
                kinds.addAll(List.of("```bash", "```text"));
            }
            if (page.equals(BrowserPageTest.PAGE)) {
                kinds.addAll(List.of("```html", "```js"));
            }
            assertThat(Files.readAllLines(page).stream().filter(line -> line.startsWith("```")))
                    .as(page.toString())
                    .isSubsetOf(kinds);
        }
    }
}
