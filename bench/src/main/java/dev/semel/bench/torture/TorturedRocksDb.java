package dev.semel.bench.torture;

import dev.semel.testkit.crash.CrashSettings;
import java.nio.file.Path;

/** The embedded store stands on nothing but its folder. */
final class TorturedRocksDb implements Tortured {

    @Override
    public CrashSettings round(Path folder) {
        return CrashSettings.of(RocksDbOpener.class, folder);
    }

    @Override
    public void close() {}
}
