package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The help of the benchmarks and of torture as files, which the launcher prints without a build. */
public final class HelpFiles {

    private static final Path FOLDER = Path.of("help");

    private HelpFiles() {}

    /** Compares a file with the help that a command prints. */
    public static void assertSame(String name, String help) throws IOException {
        Path file = FOLDER.resolve(name + ".txt");
        if (Boolean.getBoolean("help.write")) {
            Files.createDirectories(FOLDER);
            Files.writeString(file, help);
        }
        assertThat(file)
                .as(
                        "bench/help is out of date. Update it with: mvn -q -Dquick -pl bench -am test -Dtest='BenchTest,TortureTest'"
                                + " -Dsurefire.failIfNoSpecifiedTests=false -Dhelp.write=true")
                .hasContent(help);
        assertThat(help.lines()).allMatch(line -> line.length() <= 80);
    }
}
