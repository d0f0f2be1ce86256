package dev.semel.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program of modules can use {@code core} with nothing beside it. */
class ModuleIT {

    @TempDir
    Path folder;

    @Test
    void module_compilesAndRunsAgainstCoreAlone() throws Exception {
        Files.writeString(folder.resolve("module-info.java"), "module consumer { requires dev.semel.core; }");
        Files.writeString(
                folder.resolve("Main.java"),
                "package consumer; class Main { public static void main(String[] a) {"
                        + " System.out.print(dev.semel.id.IdSchemes.TID62.isValid(null)); } }");
        String core = Repository.ROOT + "/server/target/lib/semel-core-*.jar";
        String java = System.getProperty("java.home") + "/bin/java";
        Repository.Printed printed = Repository.bash(
                folder,
                java + "c -Xlint:all -Werror -d classes --module-path " + core + " module-info.java Main.java && "
                        + java + " --module-path classes:$(echo " + core + ") --module consumer/consumer.Main");
        assertThat(printed).isEqualTo(new Repository.Printed(0, "false"));
    }
}
