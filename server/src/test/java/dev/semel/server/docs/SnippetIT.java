package dev.semel.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.postgres.Postgres;
import dev.semel.server.ServerFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import jdk.jshell.JShell;
import jdk.jshell.Snippet.Status;
import jdk.jshell.SnippetEvent;
import jdk.jshell.SourceCodeAnalysis.CompletionInfo;
import jdk.jshell.execution.DirectExecutionControl;
import jdk.jshell.spi.ExecutionControl;
import jdk.jshell.spi.ExecutionControlProvider;
import jdk.jshell.spi.ExecutionEnv;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Runs every Java snippet of the documentation, page by page, and compares the results with the comments {@code // →}. A page whose snippets
 * name a server or a database gets one.
 */
class SnippetIT {

    private static final Pattern RESULT = Pattern.compile("(?s)(.*?);?\\s*// → (.*?)\\s*");
    private static final String SERVER = "http://localhost:8080";
    private static final String DATABASE = "jdbc:postgresql://localhost/shop";

    @TempDir
    Path folder;

    private @Nullable ServerFixture server;
    private @Nullable String database;

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    static Stream<Path> pages() throws Exception {
        List<Path> pages = new ArrayList<>();
        for (Path page : Repository.pages()) {
            if (Files.readString(page).contains("```java\n")) {
                pages.add(page);
            }
        }
        assertThat(pages).hasSizeGreaterThan(2);
        return pages.stream();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void snippetsOfAPage_runAndReturnWhatIsShown(Path page) throws Exception {
        try (JShell shell =
                JShell.builder().executionEngine(new InThisThread(), Map.of()).build()) {
            shell.addToClasspath(System.getProperty("java.class.path"));
            for (String standard : List.of("java.util.*", "java.time.*")) {
                evaluate(shell, "import " + standard + ";", page);
            }
            for (String shown : statements(shell, page)) {
                String statement = withActualNames(shown);
                Matcher result = RESULT.matcher(statement);
                if (result.matches()) {
                    String printed = evaluate(shell, "String.valueOf((Object) (" + result.group(1) + "))", page);
                    Shape.assertSame(
                            page + ": " + statement, result.group(2), printed.substring(1, printed.length() - 1));
                } else {
                    evaluate(shell, statement, page);
                }
            }
        }
    }

    /** Stores are created in a temporary folder, and servers have other ports. */
    private String withActualNames(String shown) {
        String statement = shown.replace("Path.of(\"", "Path.of(\"" + folder + "/");
        if (statement.contains(SERVER)) {
            statement = statement.replace(SERVER, "http://localhost:" + port());
        }
        if (statement.contains(DATABASE)) {
            statement = statement.replace(DATABASE, database());
        }
        return statement;
    }

    private int port() {
        if (server == null) {
            server = ServerFixture.onMemory();
        }
        return server.server().port();
    }

    private String database() {
        if (database == null) {
            PGSimpleDataSource source = Postgres.NEWEST.emptyDatabase();
            database = source.getURL() + (source.getURL().contains("?") ? "&" : "?") + "user=" + source.getUser();
        }
        return database;
    }

    /** Returns the statements of all blocks of a page, each with the comment after it. */
    private static List<String> statements(JShell shell, Path page) throws Exception {
        List<String> statements = new ArrayList<>();
        StringBuilder pending = new StringBuilder();
        boolean java = false;
        List<String> lines = Files.readAllLines(page);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.startsWith("```")) {
                java = line.equals("```java");
            } else if (java && !line.isBlank()) {
                pending.append(line).append('\n');
                CompletionInfo info = shell.sourceCodeAnalysis().analyzeCompletion(pending.toString());
                // the next line may be a method call on a statement that looks complete
                boolean continues = lines.get(i + 1).strip().startsWith(".");
                if (info.completeness().isComplete() && !continues) {
                    statements.add(pending.toString());
                    pending.setLength(0);
                }
            }
        }
        assertThat(pending.toString()).as(page.toString()).isEmpty();
        return statements;
    }

    private static String evaluate(JShell shell, String source, Path page) {
        String value = "";
        for (SnippetEvent event : shell.eval(source)) {
            assertThat(event.exception()).as("%s: %s", page, source).isNull();
            assertThat(event.status())
                    .as(
                            "%s: %s%s",
                            page,
                            source,
                            shell.diagnostics(event.snippet())
                                    .map(d -> d.getMessage(null))
                                    .toList())
                    .isIn(Status.VALID, Status.OVERWRITTEN); // an import that is repeated overwrites the first one
            value = Objects.requireNonNullElse(event.value(), value);
        }
        return value.replace("\\\"", "\"").replace("\\'", "'");
    }

    /**
     * Runs snippets on the calling thread. JShell's own engine waits for all threads that a snippet has started, and those of clients and
     * timers never end.
     */
    private static final class InThisThread implements ExecutionControlProvider {
        @Override
        public String name() {
            return "this-thread";
        }

        @Override
        public ExecutionControl generate(ExecutionEnv env, Map<String, String> parameters) {
            return new DirectExecutionControl();
        }
    }
}
