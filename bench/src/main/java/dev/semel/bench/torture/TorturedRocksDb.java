package dev.semel.bench.torture;

import dev.semel.testkit.crash.CrashSettings;
import java.nio.file.Path;

/** The embedded store, which needs only its folder. */
final class TorturedRocksDb implements Tortured {

    @Override
    public CrashSettings round(Path folder) {
        return CrashSettings.of(RocksDbOpener.class, folder);
    }

    @Override
    public void close() {}
}
