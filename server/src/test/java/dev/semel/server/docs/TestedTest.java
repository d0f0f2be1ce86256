package dev.semel.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages that list evidence name tests that exist. */
class TestedTest {

    private static final String SPECIFICATIONS = "docs/seeds.md";

    /** A test class, or a method of one. */
    private static final Pattern NAMED = Pattern.compile("`([A-Z]\\w+(?:Test|IT|Contract))(?:\\.(\\w+))?`");

    /** What the last cell of a row has instead of a test. */
    private static final Pattern MISSING = Pattern.compile("Not built yet|Planned, with ");

    private static final String RULE = "|---|---|---|";

    @ParameterizedTest
    @ValueSource(strings = {SPECIFICATIONS, "docs/reference/outbox.md", "docs/operating/threat-model.md"})
    void testsNamedOnThePage_exist(String page) throws IOException {
        List<MatchResult> named = NAMED.matcher(Files.readString(Repository.ROOT.resolve(page)))
                .results()
                .toList();
        assertThat(named).hasSizeGreaterThan(10);
        for (MatchResult test : named) {
            String method = test.group(2);
            assertThat(source(test.group(1)))
                    .as(test.group())
                    .contains(method == null ? " " + test.group(1) + " " : " void " + method + "(");
        }
    }

    @Test
    void everyRequirementOfTheSpecifications_hasAPlaceAndATest() throws IOException {
        List<String[]> rows = requirements();
        assertThat(rows).hasSizeGreaterThan(250);
        for (String[] row : rows) {
            assertThat(row).as(String.join("|", row)).hasSize(3).noneMatch(String::isBlank);
            Predicate<String> named = NAMED.asPredicate();
            assertThat(row[2])
                    .as(row[0])
                    .matches(named.or(MISSING.asPredicate()).or(cell -> cell.contains("](")));
        }
    }

    @Test
    void everySpecification_hasASection() throws IOException {
        assertThat(Files.readAllLines(Repository.ROOT.resolve(SPECIFICATIONS)))
                .filteredOn(line -> line.startsWith("## "))
                .containsExactly(
                        "## Textpile Post ID v2",
                        "## SimpleDB ID Specification",
                        "## Idempotency Implementation Guide",
                        "## IDs and Keys",
                        "## Document Key Optimization Plan");
    }

    /** Returns the cells of the rows of all tables of requirements. */
    private static List<String[]> requirements() throws IOException {
        List<String[]> rows = new ArrayList<>();
        boolean requirement = false;
        for (String line : Files.readAllLines(Repository.ROOT.resolve(SPECIFICATIONS))) {
            if (line.equals("| requirement | where | test |")) {
                requirement = true;
            } else if (!line.startsWith("|")) {
                requirement = false;
            } else if (requirement && !line.equals(RULE)) {
                assertThat(line).startsWith("| ").endsWith(" |");
                String[] cells = line.substring(1, line.length() - 1).split("(?<!\\\\)\\|", -1);
                rows.add(Arrays.stream(cells).map(String::strip).toArray(String[]::new));
            }
        }
        return rows;
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
