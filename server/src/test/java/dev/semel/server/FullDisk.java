package dev.semel.server;

import dev.semel.rocksdb.RocksDbSettings;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.server.ServerFixture.Client;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.store.Time;
import java.nio.file.Files;
import java.nio.file.Path;

/** Runs a server on a disk that becomes full, and is freed. Prints the server's health to standard output. */
final class FullDisk {

    private static final int BALLAST_BYTES = 20 << 20;
    private static final long PATIENCE_NANOS = 60_000_000_000L;
    private static final int MOST_RECORDS = 10_000;
    private static final String RECORDS = "/v1/collections/notes/records";

    private FullDisk() {}

    public static void main(String[] arguments) throws Exception {
        Path disk = Path.of(arguments[0]);
        Path ballast = Files.write(disk.resolve("ballast"), new byte[BALLAST_BYTES]);
        RocksDbStore store = RocksDbStore.open(
                disk.resolve("data"), RocksDbSettings.DEFAULTS.withMemoryBytes(16L << 20), Time.system());
        try (ServerFixture server = ServerFixture.on(store, Time.system(), Apps::all)) {
            Client ann = server.as("ann");
            tell("before", server.asNobody().get("/health/ready"));
            String body = "{\"text\":\"" + "x".repeat(100_000) + "\"}";
            int status = 201;
            for (int i = 0; i < MOST_RECORDS && status == 201; i++) {
                status = ann.post(RECORDS, body).status();
            }
            System.out.println("writes: " + status);
            tell("full", server.asNobody().get("/health/ready"));
            System.out.println("reads: " + ann.get(RECORDS + "?limit=1").status());
            Files.delete(ballast);
            long begun = System.nanoTime();
            Reply ready = server.asNobody().get("/health/ready");
            while (ready.status() != 200 && System.nanoTime() - begun < PATIENCE_NANOS) {
                ready = server.asNobody().get("/health/ready"); // the store notices free space at its next check
            }
            tell("room", ready);
            System.out.println("writes: " + ann.post(RECORDS, body).status());
        }
    }

    private static void tell(String when, Reply ready) {
        System.out.println(when + ": " + ready.status() + " " + ready.text("reason") + " " + ready.text("detail"));
    }
}
