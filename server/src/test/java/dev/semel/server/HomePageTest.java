package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.web.Routes;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HomePageTest {

    private static String example(boolean devMode, String url) {
        Routes routes = new Routes();
        HomePage home = new HomePage(devMode, routes, new PageFiles(devMode, routes, new OutboxFiles()));
        home.listensOn(url);
        return String.join("\n", home.commands());
    }

    @Test
    void example_isTheQuickStartOfTheReadme() throws Exception {
        assertThat(Files.readString(Path.of("../README.md")))
                .contains("\n```bash\n" + example(true, "http://localhost:8080") + "\n```\n");
    }

    @ParameterizedTest
    @CsvSource({
        "http://localhost:9000,http://localhost:9000",
        "https://localhost:8443,https://localhost:8443",
        "http://127.0.0.2:80,http://127.0.0.2:80",
        "http://[::1]:80,http://[::1]:80",
        "http://0.0.0.0:8080,http://localhost:8080",
        "https://[::]:8080,https://localhost:8080"
    })
    void example_usesTheAddressOfTheServer(String url, String shown) {
        assertThat(example(true, url)).contains(" " + shown + "/v1/dev/token ", " " + shown + "/v1/collections/");
        assertThat(example(false, url)).startsWith("TOKEN=…\n").contains(" " + shown + "/v1/collections/");
    }
}
