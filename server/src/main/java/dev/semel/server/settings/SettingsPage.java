package dev.semel.server.settings;

import java.util.stream.Stream;

/** Generates the documentation page of the settings. */
final class SettingsPage {

    private SettingsPage() {}

    static String markdown() {
        StringBuilder page = new StringBuilder("""
                # Settings

                These are the settings of `./semel serve`. Each can be set by an option, in the environment, or in a settings file with one line such
                as `log-level=debug` per setting. `%s FILE` or the variable `%s` names the file. An option overrides the environment, and
                the environment overrides the file.

                The server rejects an invalid value when it starts: see [running the server](../operating/serving.md#settings).

                A TIME is a whole number with the unit `ms`, `s`, `m`, `h` or `d`. A SIZE is a whole number with the unit `KiB`, `MiB` or `GiB`. A SIZE
                without a unit is in bytes.
                """.formatted(RawSettings.FILE_FLAG, RawSettings.FILE_VARIABLE));
        for (Setting.Tier tier : Setting.Tier.values()) {
            page.append("\n## ").append(tier.title()).append("\n\n");
            page.append(tier.sentence()).append("\n\n");
            page.append("| option | environment | default | description |\n|---|---|---|---|\n");
            Stream.of(Setting.values())
                    .filter(setting -> setting.tier() == tier)
                    .forEach(setting -> page.append(row(setting)));
        }
        return page.append("""

                ## Options of the JVM

                The launcher passes the options in the environment variable `SEMEL_JAVA_OPTS` to Java, such as `-Xmx512m`.

                ## Fixed limits

                These cannot be changed: a request body has at most 1 MiB, the `nbf` of a token may be at most 5 seconds in the future, and a
                connection is closed after 30 seconds without traffic.
                """).toString();
    }

    private static String row(Setting setting) {
        String fallback = setting.fallback() == null ? "" : "`" + setting.fallback() + "`";
        return "| `%s %s` | `%s` | %s | %s |\n"
                .formatted(setting.flag(), setting.label(), setting.variable(), fallback, setting.description());
    }
}
