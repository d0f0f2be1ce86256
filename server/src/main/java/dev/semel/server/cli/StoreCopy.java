package dev.semel.server.cli;

import dev.semel.rocksdb.RocksDbCopy;
import dev.semel.server.settings.StoreUrl;
import dev.semel.server.settings.Suggestions;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;

/** Copies a store into a new folder, for backup and restore. */
final class StoreCopy {

    private StoreCopy() {}

    /** Returns the folder of a store URL. */
    static Path folder(CommandSpec spec, String url) {
        StoreUrl.Directory folder = StoreUrl.ofFolder(url);
        if (folder == null) {
            throw new UsageException(
                    spec, "--store must be rocksdb:FOLDER, not " + Suggestions.quote(location(url)) + ".");
        }
        return folder.path();
    }

    /** A URL of a database may hold a password, so only its scheme is shown. */
    private static String location(String url) {
        int login = url.indexOf("//");
        return login < 0 ? url : url.substring(0, login) + "//…";
    }

    /** Copies a store, and shows the progress on standard error. */
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
