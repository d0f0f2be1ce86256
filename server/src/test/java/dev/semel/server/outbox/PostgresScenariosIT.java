package dev.semel.server.outbox;

import dev.semel.postgres.Postgres;
import java.nio.file.Path;

final class PostgresScenariosIT extends ProcessScenarioContract {

    @Override
    String store(Path folder) {
        return Postgres.url(Postgres.NEWEST.database());
    }
}
