package dev.semel.bench.rocksdb;

import dev.semel.bench.ContestOptions;
import dev.semel.bench.Output;
import dev.semel.bench.Page;
import dev.semel.bench.Scale;
import dev.semel.bench.TempFolder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** What the embedded store costs beside bare RocksDB, and whether it stays as fast when it grows. */
@Command(
        name = "rocksdb",
        description = {
            "Measures the embedded store next to bare RocksDB. Takes about 15 minutes and 5 GB of disk space.",
            "For a short run: --keys 20000 --rounds 1"
        })
public final class RocksDbBench implements Runnable {

    @Mixin
    private final ContestOptions options = new ContestOptions();

    @Mixin
    private final Output output = new Output();

    @Override
    public void run() {
        output.write(measure(options.scale()));
    }

    static Page measure(Scale scale) {
        try (TempFolder temp = TempFolder.create("semel-bench-")) {
            return new RocksDbReport(new RocksDbRun(temp.path(), scale).run(), scale.effort()).page();
        }
    }
}
