package dev.semel.server.outbox;

import dev.semel.testkit.client.ClientDriver;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The fault suite with the browser outbox in Chromium. */
final class BrowserScenariosIT extends ScenarioContract {

    private static BrowserDriver.@Nullable Host host;

    @BeforeAll
    static void startHost() {
        host = new BrowserDriver.Host(SPEED);
    }

    @Override
    ClientDriver client(String user) {
        return new BrowserDriver(Objects.requireNonNull(host), user);
    }

    @AfterAll
    static void closeHost() {
        if (host != null) {
            host.close();
        }
    }
}
