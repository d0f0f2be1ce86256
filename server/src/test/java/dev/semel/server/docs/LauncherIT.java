package dev.semel.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.id.IdSchemes;
import dev.semel.server.docs.Repository.Printed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher script, called from any folder, before and after a build. */
class LauncherIT {

    @TempDir
    Path folder;

    @Test
    void launcher_worksFromAnyFolderAndThroughALink() throws Exception {
        Files.createSymbolicLink(folder.resolve("link"), Repository.ROOT.resolve("semel"));
        Printed printed = Repository.bash(folder, "./link id tid62");
        assertThat(printed.status()).isZero();
        assertThat(IdSchemes.TID62.isValid(printed.text().strip())).isTrue();
    }

    /**
     * A copy without build results is built, and built again only when a source is newer. Maven builds once; the other builds use a command
     * that copies the jar.
     */
    @Test
    void freshCopy_isBuiltOnceAndAgainWhenASourceChanges() throws Exception {
        Path copy = folder.resolve("a copy");
        Repository.bash(
                folder,
                "mkdir 'a copy' && cd " + Repository.ROOT
                        + " && tar cf - --exclude=target --exclude=.git --exclude=docs . | tar xf - -C '" + copy + "'");

        Printed first = Repository.bash(copy, "./semel id seq10");
        Printed second = Repository.bash(copy, "./semel id seq10");
        Repository.bash(
                copy,
                "cp server/target/semel.jar built.jar && mkdir bin"
                        + " && printf '#!/bin/sh\ncp built.jar server/target/semel.jar\n' > bin/mvn && chmod +x bin/mvn");
        String semel = "PATH=$PWD/bin:$PATH ./semel id seq10";
        Path source = copy.resolve("core/src/main/java/dev/semel/id/SequenceScheme.java");
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(1)));
        Printed third = Repository.bash(copy, semel);
        Repository.bash(copy, "truncate -s 1000 server/target/semel.jar; touch target/unfinished");
        Printed afterACut = Repository.bash(copy, semel);

        assertThat(first.text()).isEqualTo("semel: building for the first time …\n0000000001\n");
        assertThat(second.text()).isEqualTo("0000000001\n");
        assertThat(third.text()).isEqualTo("semel: building: the sources have changed …\n0000000001\n");
        assertThat(afterACut.text()).isEqualTo("semel: building: the last build was interrupted …\n0000000001\n");
    }

    @Test
    void brokenSource_isReportedAndRunsNothing() throws Exception {
        Repository.bash(
                folder, "cp -r " + Repository.ROOT.resolve("semel") + " " + Repository.ROOT.resolve("pom.xml") + " .");
        Printed printed = Repository.bash(folder, "./semel id tid62");
        assertThat(printed.status()).isEqualTo(1);
        assertThat(printed.text()).contains("semel: The build failed. Its output is in ");
    }

    @Test
    void newestJdk_isTheOneThatRuns() throws Exception {
        for (String version : new String[] {"99.0.1", "16.0.2"}) {
            Repository.bash(
                    folder,
                    "mkdir -p " + version + "/bin && cd " + version + " && echo 'JAVA_VERSION=\"" + version
                            + "\"' > release"
                            + " && printf '#!/bin/sh\necho this is " + version + "\n' > bin/java"
                            + " && cp bin/java bin/javac && chmod +x bin/*");
        }
        String semel = " " + Repository.ROOT.resolve("semel") + " id seq10";
        assertThat(Repository.bash(folder, "JAVA_HOME=$PWD/99.0.1" + semel).text())
                .isEqualTo("this is 99.0.1\n");
        assertThat(Repository.bash(folder, "JAVA_HOME=$PWD/16.0.2" + semel).text())
                .isEqualTo("0000000001\n");
    }

    @Test
    void missingMaven_isNamed() throws Exception {
        Repository.bash(
                folder,
                "cp " + Repository.ROOT.resolve("semel") + " . && mkdir bin"
                        + " && for tool in bash dirname readlink find; do ln -s $(command -v $tool) bin/; done");
        Printed printed = Repository.bash(folder, "PATH=$PWD/bin ./semel id tid62");
        assertThat(printed)
                .isEqualTo(new Printed(
                        1, "semel: Maven 3.8 or later is required to build Semel, and mvn is not on the PATH.\n"));
    }

    @Test
    void launchersOwnCommands_haveHelpAndRejectWrongUse() throws Exception {
        assertThat(Repository.bash(Repository.ROOT, "./semel test --help").text())
                .startsWith("Usage: semel test");
        assertThat(Repository.bash(Repository.ROOT, "./semel test --help").text())
                .contains("Modules: bench, core, http, outbox, server, ");
        Printed now = Repository.bash(Repository.ROOT, "./semel test now");
        assertThat(now.text())
                .startsWith("semel test: Unknown module 'now'. Choose one of bench, core, http, ")
                .endsWith(". See './semel test --help'.\n");
        assertThat(now.status()).isEqualTo(2);
        assertThat(Repository.bash(Repository.ROOT, "./semel test --now"))
                .isEqualTo(
                        new Printed(
                                2,
                                "semel test: Unknown option '--now'. Choose one of --long, --verbose. See './semel test --help'.\n"));
        assertThat(Repository.bash(Repository.ROOT, "LC_ALL=C ./semel id inspect ü")
                        .text())
                .contains("\\u00fc");
    }

    /** Without Maven and Java, as on a machine where nothing is built yet. */
    @Test
    void helpOfTheLaunchersCommands_needsNoBuild() throws Exception {
        Repository.bash(
                folder,
                "tar cf - -C " + Repository.ROOT
                        + " --exclude=target semel pom.xml server/src/main/resources bench/help"
                        + " | tar xf - && mkdir bin && for tool in bash dirname basename readlink cat paste sed; do"
                        + " ln -s $(command -v $tool) bin/; done");
        for (String line : List.of("", "-h", "--help", "help", "help --help", "--verbose --help")) {
            assertHelp(line, "Usage: semel COMMAND [OPTIONS]\n");
        }
        for (String line : List.of("help %s", "%s --help", "%s -h")) {
            assertHelp(String.format(line, "test"), "Usage: semel test [OPTIONS] [MODULE…]\n");
            assertHelp(String.format(line, "torture"), "Usage: semel torture [-h] [--verbose] --store=NAME ");
            assertHelp(String.format(line, "bench"), "Usage: semel bench [-h] [--verbose] NAME\n");
            assertHelp(String.format(line, "bench postgres"), "Usage: semel bench postgres [-h] ");
        }
        assertHelp("torture --store rocksdb --kills 3 -h", "Usage: semel torture ");
        assertHelp("bench ids --rounds=2 --help", "Usage: semel bench ids ");
    }

    private void assertHelp(String arguments, String start) throws Exception {
        Printed printed = Repository.bash(folder, "PATH=$PWD/bin ./semel " + arguments + " 2>&1");
        assertThat(printed.text()).as(arguments).startsWith(start);
        assertThat(printed.status()).as(arguments).isZero();
    }

    @Test
    void overviewOfTheLauncher_isThatOfTheJar() throws Exception {
        assertThat(Repository.bash(Repository.ROOT, "java -jar server/target/semel.jar"))
                .isEqualTo(Repository.bash(Repository.ROOT, "./semel"));
        assertThat(Repository.bash(Repository.ROOT, "./semel > /dev/full"))
                .isEqualTo(new Printed(1, "semel: Cannot write the output.\n"));
    }

    @Test
    void testOfSomeModules_skipsTheTestsOfTheOthers() throws Exception {
        Repository.bash(folder, "mkdir bin && printf '#!/bin/sh\necho \"$@\"\n' > bin/mvn && chmod +x bin/mvn");
        String test = "PATH=$PWD/bin:$PATH " + Repository.ROOT.resolve("semel") + " test";
        assertThat(Repository.bash(folder, test).text())
                .contains(" verify -T 2")
                .doesNotContain("skipTests", "test.long");
        assertThat(Repository.bash(folder, test + " http core --long").text())
                .contains(" -Dtest.long=true ", " -Dserver.skipTests=true ", " -am -pl http,core")
                .doesNotContain("-Dhttp.skipTests", "-Dcore.skipTests");
    }

    @Test
    void pipeThatIsClosedEarly_endsTheCommandQuietly() throws Exception {
        Printed printed =
                Repository.bash(Repository.ROOT, "./semel id tid62 -n 1000000000 | head -n 1; echo ${PIPESTATUS[0]}");
        assertThat(printed.text()).matches("\\w{17}\n0\n");
    }

    @Test
    void closedStreams_areNotMistakenForFiles() throws Exception {
        assertThat(Repository.bash(Repository.ROOT, "./semel id inspect --json - <&-"))
                .isEqualTo(new Printed(0, ""));
        assertThat(Repository.bash(Repository.ROOT, "./semel id tid62 >&- <&-"))
                .isEqualTo(new Printed(1, "semel: Standard output is closed.\n"));
        assertThat(Repository.bash(Repository.ROOT, "./semel id seq10 2>&-")).isEqualTo(new Printed(0, "0000000001\n"));
    }

    @Test
    void inputThatCannotBeRead_isAFailure() throws Exception {
        assertThat(Repository.bash(Repository.ROOT, "./semel id inspect - < docs"))
                .isEqualTo(new Printed(1, "semel id inspect: Cannot read standard input: Is a directory\n"));
    }

    @Test
    void fullDisk_isAFailure() throws Exception {
        Printed printed = Repository.bash(Repository.ROOT, "./semel id tid62 -n 100000 > /dev/full");
        assertThat(printed).isEqualTo(new Printed(1, "semel: Cannot write the output: No space left on device\n"));
    }

    @Test
    void completion_worksInBash() throws Exception {
        Printed printed = Repository.bash(
                Repository.ROOT,
                "exec 2>/dev/null; source <(./semel completion); COMP_WORDS=(semel id ins); COMP_CWORD=2; _complete_semel; echo \"${COMPREPLY[@]}\";"
                        + " COMP_WORDS=(semel tor); COMP_CWORD=1; _complete_semel; echo \"${COMPREPLY[@]}\";"
                        + " COMP_WORDS=(semel serve --store-m); COMP_CWORD=2; _complete_semel; echo \"${COMPREPLY[@]}\";"
                        + " COMP_WORDS=(semel serve --log-level d); COMP_CWORD=3; _complete_semel; echo \"${COMPREPLY[@]}\"");
        assertThat(printed.text().lines())
                .containsExactly("inspect", "torture", "--store-memory --store-migrate", "debug");
    }
}
