package dev.semel.bench.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.bench.sweep.SweepRun.Effort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A short run writes the page. Speed is not tested. */
class SweepBenchTest {

    @TempDir
    Path out;

    @Test
    void briefRun_sweepsAllKeys_andWritesThePage() throws Exception {
        SweepBench.measure(new Effort(200, 200, Duration.ofMillis(200)), page -> page.write(out));
        assertThat(Files.readString(out.resolve("sweep.md")))
                .contains("| embedded store |", "| PostgreSQL |", "| 200 |")
                .doesNotContain("NaN");
    }
}
