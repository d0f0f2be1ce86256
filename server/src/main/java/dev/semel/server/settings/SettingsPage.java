package dev.semel.server.settings;

import java.util.stream.Stream;

/** The page of the documentation that lists all settings. */
final class SettingsPage {

    private SettingsPage() {}

    static String markdown() {
        StringBuilder page = new StringBuilder("""
                # Settings

                What `./semel serve` can be told. Each setting can be given by a flag, in the environment, or in a file that `%s FILE` or
                `%s` names, with a line such as `log-level=debug` for each. A flag goes before the environment, and that before the
                file. What is wrong is refused at the start, in one line that says what would be right; `./semel serve --check` starts, asks itself
                whether it is ready, and stops.

                A TIME is a whole number with `ms`, `s`, `m`, `h` or `d` behind it; a SIZE one with `KiB`, `MiB` or `GiB`, or in bytes.
                """.formatted(Given.FILE_FLAG, Given.FILE_VARIABLE));
        for (Setting.Tier tier : Setting.Tier.values()) {
            page.append("\n## ").append(tier.title()).append("\n\n");
            page.append("This is ").append(tier.summary()).append(".\n\n");
            page.append("| flag | environment | unless given | what it is |\n|---|---|---|---|\n");
            Stream.of(Setting.values())
                    .filter(setting -> setting.tier() == tier)
                    .forEach(setting -> page.append(row(setting)));
        }
        return page.append("""

                ## What there is no setting for

                The largest body of a request (1 MiB), how long before its `nbf` a token holds (five seconds, for clocks that differ), and how long a
                connection may be silent (half a minute): other values would help nobody and surprise somebody.

                `SEMEL_JAVA_OPTS` in the environment is for Java, not for the server: flags such as `-Xmx512m` that the launcher hands on.
                """).toString();
    }

    private static String row(Setting setting) {
        String fallback = setting.fallback() == null ? "" : "`" + setting.fallback() + "`";
        return "| `%s %s` | `%s` | %s | %s |\n"
                .formatted(setting.flag(), setting.label(), setting.variable(), fallback, setting.description());
    }
}
