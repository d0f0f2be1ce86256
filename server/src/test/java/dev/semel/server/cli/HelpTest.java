package dev.semel.server.cli;

import static dev.semel.server.cli.CommandLineFixture.semel;
import static dev.semel.server.cli.CommandLineFixture.with;
import static dev.semel.server.cli.CommandLineFixture.words;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.cli.CommandLineFixture.Result;
import dev.semel.server.settings.Setting;
import dev.semel.server.settings.Setting.Tier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

@Tag("jdk")
class HelpTest {

    static Stream<CommandLine> commands() {
        return CommandLineFixture.commands().stream();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyCommand_printsItsHelpHoweverItIsAskedFor(CommandLine command) {
        List<String> words = words(command);
        Result help = semel(with(words, "--help"));
        assertThat(help.out()).startsWith(("Usage: semel " + String.join(" ", words)).strip() + " ");
        assertThat(help.err()).isEmpty();
        assertThat(help.status()).isZero();
        assertThat(semel(with(words, "-h"))).isEqualTo(help);
        assertThat(semel(with(List.of("help"), words.toArray(String[]::new)))).isEqualTo(help);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyHelp_fitsATerminalAndWritesDefaultsTheSameWay(CommandLine command) {
        String help = semel(with(words(command), "--help")).out();
        assertThat(help.lines()).allMatch(line -> line.length() <= 80);
        assertThat(help.replaceAll("\\s+", " ")
                        .replaceAll("Default: \\S+[.,]", "")
                        .replace("use the default", ""))
                .doesNotContainIgnoringCase("default:")
                .doesNotContainIgnoringCase("by default");
    }

    @Test
    void withoutArguments_theOverviewIsPrinted() {
        Result overview = semel("");
        assertThat(overview.status()).isZero();
        assertThat(overview.err()).isEmpty();
        assertThat(overview.out()).startsWith("Usage: semel COMMAND");
        assertThat(semel("help")).isEqualTo(overview);
        assertThat(semel("-h")).isEqualTo(overview);
        assertThat(semel("--verbose")).isEqualTo(overview);
    }

    @Test
    void overview_listsEveryCommandOnce() {
        List<String> lines = semel("").out().lines().toList();
        commands()
                .filter(command -> command.getSubcommands().isEmpty()
                        || command.getCommandName().equals("id"))
                .map(command -> String.join(" ", words(command)))
                .filter(name -> !name.endsWith(" help"))
                .forEach(name -> assertThat(lines.stream().filter(line -> line.startsWith("  " + name + "  ")))
                        .as(name)
                        .hasSize(1));
        for (LauncherCommand command : LauncherCommand.values()) {
            assertThat(lines).anyMatch(line -> line.startsWith("  " + command.command() + "  "));
        }
    }

    @Test
    void helpOfServe_opensWithTheEssentialSettings() {
        List<String> lines = semel("serve --help").out().lines().toList();
        assertThat(lines.size()).isLessThanOrEqualTo(68);
        int end = lines.indexOf(Tier.FREQUENT.heading() + ":");
        assertThat(end).isBetween(5, 24);
        String opening = String.join("\n", lines.subList(0, end));
        for (Setting setting : Setting.values()) {
            assertThat(opening.contains("  " + setting.flag() + "="))
                    .as(setting.flag())
                    .isEqualTo(setting.tier() == Tier.ESSENTIAL);
            assertThat(String.join("\n", lines)).contains(setting.flag());
        }
    }

    @Test
    void helpOfServeWithAllSettings_saysTheSameAsTheDocumentation() throws Exception {
        String help = semel("serve --help-all").out().replaceAll("\\s+", " ");
        String page = Files.readString(Path.of("../docs/reference/settings.md"));
        for (Setting setting : Setting.values()) {
            String option = setting.flag() + (setting.isSwitch() ? "" : "=" + setting.label());
            assertThat(help).contains(" " + option + " " + setting.plainText() + " ");
            String row = page.lines()
                    .filter(line -> line.startsWith("| `" + setting.flag() + " "))
                    .findFirst()
                    .orElseThrow();
            String[] cells = row.replace("`", "").split(" *\\| *", -1);
            String fallback = cells[3].isEmpty() ? "" : " Default: " + cells[3] + ".";
            assertThat(cells[4] + fallback).isEqualTo(setting.plainText());
        }
    }
}
