package dev.semel.server.settings;

import java.util.stream.Stream;

/** The page of the documentation that lists all settings. */
final class SettingsPage {

    private SettingsPage() {}

    static String markdown() {
        StringBuilder page = new StringBuilder("""
                # Settings

                The settings of `./semel serve`. Each is given by a flag, in the environment, or in a file named by `%s FILE` or
                `%s`, one line such as `log-level=debug` for each. A flag takes precedence over the environment, and the environment over
                the file. An invalid value is rejected at the start, with one line that names what is expected; `./semel serve --check` starts the
                server, checks that it is ready, and stops it.

                A TIME is a whole number with the unit `ms`, `s`, `m`, `h` or `d`; a SIZE one with `KiB`, `MiB` or `GiB`, or in bytes.
                """.formatted(RawSettings.FILE_FLAG, RawSettings.FILE_VARIABLE));
        for (Setting.Tier tier : Setting.Tier.values()) {
            page.append("\n## ").append(tier.title()).append("\n\n");
            page.append(tier.sentence()).append("\n\n");
            page.append("| flag | environment | default | description |\n|---|---|---|---|\n");
            Stream.of(Setting.values())
                    .filter(setting -> setting.tier() == tier)
                    .forEach(setting -> page.append(row(setting)));
        }
        return page.append("""

                ## Not configurable

                The largest request body (1 MiB), the clock skew allowed for the `nbf` of a token (five seconds), and the idle timeout of a
                connection (30 seconds).

                `SEMEL_JAVA_OPTS` in the environment holds flags for Java, such as `-Xmx512m`, which the launcher passes on.
                """).toString();
    }

    private static String row(Setting setting) {
        String fallback = setting.fallback() == null ? "" : "`" + setting.fallback() + "`";
        return "| `%s %s` | `%s` | %s | %s |\n"
                .formatted(setting.flag(), setting.label(), setting.variable(), fallback, setting.description());
    }
}
