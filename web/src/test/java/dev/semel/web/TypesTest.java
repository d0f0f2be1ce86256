package dev.semel.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The types in the comments of the modules, and in {@code outbox.d.ts}, are correct. */
class TypesTest {

    private static final Path MODULES = Path.of("outbox");

    private static boolean isInstalled(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    @Test
    void modules_passTheTypeChecker() throws IOException, InterruptedException {
        Assumptions.assumeTrue(
                isInstalled("tsc"), "Types are not checked: tsc, the TypeScript compiler, is not installed");
        Process process = new ProcessBuilder("tsc", "-p", MODULES.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    /** The server and npm users get the same files, and nothing else is imported. */
    @Test
    void modules_importEachOtherAlone() throws IOException {
        try (Stream<Path> files = Files.list(MODULES)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".js")).toList()) {
                assertThat(Files.readString(file)
                                .lines()
                                .filter(line -> line.matches("(import|} from|export .* from) .*")))
                        .allSatisfy(
                                line -> assertThat(line).matches("(import \\{[^}]*\\}|\\}) from \"\\./[a-z]+\\.js\";"));
            }
        }
    }
}
