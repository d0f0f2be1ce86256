package dev.semel.server.outbox;

import java.nio.file.Path;

final class RocksDbScenariosIT extends ProcessScenarioContract {

    @Override
    String store(Path folder) {
        return "rocksdb:" + folder;
    }
}
