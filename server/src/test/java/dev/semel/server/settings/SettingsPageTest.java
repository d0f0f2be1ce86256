package dev.semel.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SettingsPageTest {

    private static final Path PAGE = Path.of("../docs/reference/settings.md");

    @Test
    void settingsPage_matchesTheCode() throws Exception {
        if (Boolean.getBoolean("settings.write")) {
            Files.writeString(PAGE, SettingsPage.markdown());
        }
        assertThat(Files.readString(PAGE))
                .as("docs/reference/settings.md is out of date; update it with: mvn -q -Dquick -pl server -am test"
                        + " -Dtest=SettingsPageTest -Dsurefire.failIfNoSpecifiedTests=false -Dsettings.write=true")
                .isEqualTo(SettingsPage.markdown());
    }
}
