package dev.semel.bench.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.bench.Contest.Effort;
import dev.semel.bench.LeftBehind;
import dev.semel.bench.Scale;
import dev.semel.testkit.TestSize;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A short run writes the page. Speed is not tested. */
class PostgresBenchTest {

    @TempDir
    Path out;

    @Test
    void briefRun_writesAimsFiguresAndPlots_andLeavesNothingElse() throws Exception {
        PostgresBench.measure(new Scale(new Effort(1, Duration.ofMillis(20)), TestSize.of(40, 400), 40))
                .write(out);

        assertThat(LeftBehind.folders()).isEmpty();
        assertThat(Files.readString(out.resolve("postgres.md")))
                .contains(
                        "## Aims",
                        "## Size of a key",
                        "## New keys",
                        "## Known keys",
                        "## Databases of increasing size")
                .contains(
                        "| new key, 32 callers, relative to BEGIN, INSERT, COMMIT |",
                        "| known key, 32 callers, relative to DBOS |")
                .contains(
                        "| index entries of an idempotency record | ", "| `idempotency_records` | ", "| `documents` | ")
                .contains("| sequential scans with " + TestSize.of(40, 400)
                        + " keys | ") // the planner may read small tables whole
                .contains("| 32 | **atomic call** |", "| 1 | SELECT by key |", "| 32 | DBOS Java |", "| 40 |")
                .doesNotContain("NaN", " 0 index scans");
        for (String plot : new String[] {"postgres-callers.svg", "postgres-keys.svg"}) {
            assertThat(Files.readString(out.resolve(plot)))
                    .startsWith("<svg")
                    .contains("<polyline")
                    .endsWith("</svg>\n");
        }
    }
}
