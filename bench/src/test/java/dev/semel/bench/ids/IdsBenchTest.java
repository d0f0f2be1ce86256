package dev.semel.bench.ids;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.bench.Measurements;
import dev.semel.bench.Rounds;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A short run writes the page. Speed is not tested. */
class IdsBenchTest {

    @TempDir
    Path out;

    @Test
    void briefRun_writesTableAndPlot() throws Exception {
        Measurements measured = Rounds.measure(IdsBench.TASKS, 1, new Rounds.Effort(0, 0, 1, 10));
        new IdsReport(measured).page().write(out);

        String page = Files.readString(out.resolve("ids.md"));
        assertThat(page)
                .contains(
                        "minting `tid62`, relative to peers with fresh randomness",
                        "minting `ksuid`, relative to other KSUIDs",
                        "minting `nanoid`, relative to other Nano IDs",
                        "minting `typeid`, relative to other TypeIDs",
                        "reading `tsid`, relative to other TSIDs",
                        "## Minting",
                        "## Checking",
                        "## Reading")
                .contains("| **tid62** |", "| **ksuid** |", "| uuid-creator 6.1.1, v7 |", "| typeid-java 0.2.0 |")
                .doesNotContain("NaN");
        assertThat(Files.readString(out.resolve("ids.svg")))
                .startsWith("<svg")
                .contains("semel tid62")
                .endsWith("</svg>\n");
    }
}
