package dev.semel.server.cli;

import dev.semel.server.settings.Setting;
import dev.semel.server.settings.Setting.Tier;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** The options in the help of serve: first what most users set, then the rest by tiers. */
final class ServeHelp {

    static final String ALL = "--help-all";

    private static final int MOST_COLUMNS = 100;

    private final CommandSpec command;
    private final boolean all;
    private final int columns;
    private final int indent;
    private final StringBuilder text = new StringBuilder();

    ServeHelp(CommandSpec command) {
        this.command = command;
        ParseResult parsed = command.commandLine().getParseResult();
        this.all = parsed != null && parsed.hasMatchedOption(ALL);
        this.columns = Math.min(MOST_COLUMNS, command.usageMessage().width());
        this.indent = 4
                + command.options().stream()
                        .mapToInt(option -> names(option).length())
                        .max()
                        .orElse(0);
    }

    String options() {
        for (Tier tier : Tier.values()) {
            List<Setting> settings = settings(tier).toList();
            text.append(tier == Tier.ESSENTIAL ? "" : "\n")
                    .append(tier.heading())
                    .append(":\n");
            if (all || tier != Tier.RARE) {
                settings.forEach(setting -> add(
                        names(option(setting)),
                        tier == Tier.ESSENTIAL || all ? setting.plainText() : setting.plainSummary()));
            } else {
                String flags = settings.stream().map(Setting::flag).collect(Collectors.joining(", "));
                wrap(2, flags + " (" + ALL + " describes them)");
            }
        }
        text.append("\nOther options:\n");
        List<String> flags = Stream.of(Setting.values()).map(Setting::flag).toList();
        command.options().stream()
                .filter(option -> !flags.contains(option.longestName()))
                .forEach(option -> add(names(option), description(option)));
        return text.toString();
    }

    private String description(OptionSpec option) {
        String description = String.join(" ", option.description());
        return all ? description : Setting.firstSentence(description);
    }

    private static Stream<Setting> settings(Tier tier) {
        return Stream.of(Setting.values()).filter(setting -> setting.tier() == tier);
    }

    private OptionSpec option(Setting setting) {
        return command.findOption(setting.flag());
    }

    private static String names(OptionSpec option) {
        return String.join(", ", option.names()) + (option.arity().min() == 0 ? "" : "=" + option.paramLabel());
    }

    private void add(String names, String description) {
        text.append("  ").append(names).append(" ".repeat(indent - 2 - names.length()));
        wrap(indent, description);
    }

    /** Appends words on lines of limited length, all of which begin at the same column. */
    private void wrap(int from, String words) {
        int start = text.lastIndexOf("\n") + 1;
        text.append(" ".repeat(Math.max(0, from - (text.length() - start))));
        String separator = "";
        for (String word : words.split("(?<!Default:) ", -1)) {
            if (text.length() - start + separator.length() + word.length() > columns && !separator.isEmpty()) {
                text.append('\n');
                start = text.length();
                text.append(" ".repeat(from));
                separator = "";
            }
            text.append(separator).append(word);
            separator = " ";
        }
        text.append('\n');
    }
}
