package dev.semel.bench.kv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.bench.Page;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

class KvBenchTest {

    @Test
    void page_isTheSameForASeed_andShowsNoOverwriteInsideTheCondition() {
        Page page = KvBench.page(2_000, 1);
        assertThat(KvBench.page(2_000, 1)).isEqualTo(page);
        assertThat(KvBench.page(2_000, 2)).isNotEqualTo(page);
        assertThat(page.markdown()).contains("| **0** | **0** | **0** |").doesNotContainPattern("\\*\\*[1-9]");
        assertThat(page.plots().get("kv")).startsWith("<svg");
    }

    /** The committed page is that of its command, so it changes with the allocator. */
    @Test
    @EnabledIfSystemProperty(named = "semel.test.long", matches = "true")
    void page_ofTheDocumentation_isUpToDate() throws Exception {
        Path folder = Path.of("../docs/benchmarks");
        Page page = KvBench.page(100_000, 1);
        assertThat(Files.readString(folder.resolve("kv.md"))).isEqualTo(page.markdown());
        assertThat(Files.readString(folder.resolve("kv.svg")))
                .isEqualTo(page.plots().get("kv"));
    }
}
