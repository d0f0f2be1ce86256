package dev.semel.server.outbox;

import dev.semel.testkit.client.ClientDriver;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;

/** The fault suite with the Java outbox in a process. */
abstract class ProcessScenarioContract extends ScenarioContract {

    private static OutboxDriver.@Nullable Host host;
    private static int runs;

    /** Returns the URL of an empty store for outboxes. */
    abstract String store(Path folder);

    @Override
    ClientDriver client(String user) {
        if (host == null) {
            host = new OutboxDriver.Host(store(temp.resolve("outbox")), SPEED, temp.resolve("worker.log"));
        }
        return new OutboxDriver(Objects.requireNonNull(host), "run_" + runs++, user);
    }

    @AfterAll
    static void closeHost() {
        if (host != null) {
            host.close();
            host = null;
        }
    }
}
