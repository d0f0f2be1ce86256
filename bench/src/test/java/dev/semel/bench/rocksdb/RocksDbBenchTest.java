package dev.semel.bench.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.bench.Contest.Effort;
import dev.semel.bench.LeftBehind;
import dev.semel.bench.Scale;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A short run writes the page. Speed is not tested. */
class RocksDbBenchTest {

    @TempDir
    Path out;

    @Test
    void briefRun_writesAimsFiguresAndPlots_andLeavesNothingElse() throws Exception {
        RocksDbBench.measure(new Scale(new Effort(1, Duration.ofMillis(20)), 400, 40))
                .write(out);

        assertThat(LeftBehind.folders()).isEmpty();
        assertThat(Files.readString(out.resolve("rocksdb.md")))
                .contains("## Aims", "## New keys", "## Known keys", "## Stores of increasing size")
                .contains("| new key, 64 callers, relative to bare RocksDB, tuned |", "| time to open 400 keys |")
                .contains("| 64 | **atomic call** |", "| 2 | bare RocksDB |", "| 40 |", "| 400 |")
                .doesNotContain("NaN");
        for (String plot : new String[] {"rocksdb-callers.svg", "rocksdb-keys.svg"}) {
            assertThat(Files.readString(out.resolve(plot)))
                    .startsWith("<svg")
                    .contains("<polyline")
                    .endsWith("</svg>\n");
        }
    }
}
