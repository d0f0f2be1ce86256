package dev.semel.bench.once;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.bench.Measurements;
import dev.semel.bench.Rounds;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A short run writes the page. Speed is not tested. */
class OnceBenchTest {

    @TempDir
    Path out;

    @Test
    void briefRun_writesAimsFiguresAndPlot() throws Exception {
        Measurements measured = Rounds.measure(OnceBench.TASKS, 1, new Rounds.Effort(0, 0, 1, 10));
        new OnceReport(measured).page().write(out);

        String page = Files.readString(out.resolve("once.md"));
        assertThat(page)
                .contains("## Aims", "## Calls", "## Where the time goes", "## Fingerprints")
                .contains("| **executed, atomic** |", "| **replayed** |", "| java-json-canonicalization 1.1 |")
                .doesNotContain("NaN");
        assertThat(Files.readString(out.resolve("once.svg")))
                .startsWith("<svg")
                .contains("executed, leased")
                .endsWith("</svg>\n");
    }
}
