package dev.semel.server.cli;

import dev.semel.rocksdb.RocksDbCopy;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What backup and restore have in common: a store is copied from one folder into another that is not there yet. */
final class StoreCopy {

    private static final String SCHEME = "rocksdb:";

    private StoreCopy() {}

    /** The folder of a store. */
    static Path folder(CommandSpec spec, String url) {
        if (!url.startsWith(SCHEME) || url.length() == SCHEME.length()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--store takes " + SCHEME + "FOLDER: only such stores are copied by this command");
        }
        return Path.of(url.substring(SCHEME.length()));
    }

    /** Copies, telling on standard error how far it has come. */
    static void run(CommandSpec spec, Terminal terminal, Path from, Path to) {
        PrintWriter err = spec.commandLine().getErr();
        long[] reported = {0};
        RocksDbCopy.Copied copied = RocksDbCopy.copy(from, to, rows -> {
            if (rows - reported[0] >= 100_000) {
                reported[0] = rows;
                err.printf("%,d rows …%n", rows);
                err.flush();
            }
        });
        terminal.println("Copied and compared " + copied.rows() + " rows to " + to);
        terminal.println("sha256 " + copied.hash());
    }
}
