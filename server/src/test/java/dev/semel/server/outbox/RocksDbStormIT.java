package dev.semel.server.outbox;

import java.nio.file.Path;

final class RocksDbStormIT extends StormContract {

    @Override
    String store(Path folder) {
        return "rocksdb:" + folder;
    }
}
