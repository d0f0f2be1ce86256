package dev.semel.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The page of caller-managed transactions shows the class that these tests use. */
class SpringPageTest {

    @Test
    void page_showsTheTransactionsOfSpring() throws IOException {
        String source = Files.readString(
                Path.of("..", "test-boot", "src", "test", "java", "dev", "semel", "boot", "SpringTransactions.java"));
        String shown = source.substring(source.indexOf("// page: spring\n") + 16, source.indexOf("// end"));
        assertThat(Files.readString(Path.of("..", "docs", "guides", "caller-managed-transactions.md")))
                .contains("```Java\n" + shown + "```");
    }
}
