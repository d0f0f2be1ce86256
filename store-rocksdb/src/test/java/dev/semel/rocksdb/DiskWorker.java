package dev.semel.rocksdb;

import dev.semel.document.DocumentCollection;
import dev.semel.document.Transactions;
import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Uses a store on the mounted disk, and prints the results to standard output. */
final class DiskWorker {

    private static final DocumentCollection NOTES = DocumentCollection.of("notes", KeyTemplate.of("{id:word}"));
    private static final Json DATA = Json.of("\"" + "x".repeat(10_000) + "\"");
    private static final RocksDbSettings SETTINGS = RocksDbSettings.DEFAULTS.withMemoryBytes(16L << 20);
    private static final int BALLAST_BYTES = 20 << 20;
    private static final int MOST_NOTES = 10_000;

    private DiskWorker() {}

    public static void main(String[] arguments) throws Exception {
        Path disk = Path.of(arguments[1]);
        if (arguments[0].equals("fill")) {
            fill(disk);
        } else {
            open(disk);
        }
    }

    private static void open(Path disk) {
        try {
            store(disk).close();
            System.out.println("opened");
        } catch (StoreException e) {
            System.out.println(e.getMessage());
        }
    }

    private static RocksDbStore store(Path disk) {
        return RocksDbStore.open(disk.resolve("data"), SETTINGS, Time.system());
    }

    private static void fill(Path disk) throws Exception {
        Path ballast = Files.write(disk.resolve("ballast"), new byte[BALLAST_BYTES]);
        int acknowledged = 0;
        try (RocksDbStore full = store(disk)) {
            Transactions transactions = new Transactions(full, Time.system());
            try {
                for (; acknowledged < MOST_NOTES; acknowledged++) {
                    write(transactions, acknowledged);
                }
            } catch (StoreException e) {
                System.out.println("full: " + e.getMessage());
            }
            System.out.println("wait after keys that failed: " + waitAfterKeysThatFail(full));
        }
        Files.delete(ballast);
        try (RocksDbStore store = store(disk)) {
            int there = 0;
            for (int i = 0; i < acknowledged; i++) {
                there += NOTES.read(store, "n" + i).isPresent() ? 1 : 0;
            }
            System.out.println(acknowledged > 0 && there == acknowledged ? "all there" : there + " of " + acknowledged);
            Transactions transactions = new Transactions(store, Time.system());
            write(transactions, MOST_NOTES);
            System.out.println(
                    "writes again: " + NOTES.read(store, "n" + MOST_NOTES).isPresent());
        }
    }

    /** Returns how long a user has to wait, with a quota of one key an hour, after a start that failed. */
    private static Duration waitAfterKeysThatFail(RocksDbStore full) {
        Quota one = new Quota(1, Duration.ofHours(1));
        IdempotencyKey key = new IdempotencyKey("ann", "POST /", "key");
        OnceSettings settings = OnceSettings.DEFAULTS.withQuota(one);
        Once once = new Once(full, Time.system(), settings, OnceListener.NONE);
        try {
            once.atomic(Call.of(key, Fingerprint.ofJson("1")), tx -> {
                NOTES.create(tx, "key", DATA);
                return Response.of("done");
            });
            throw new IllegalStateException("There was room");
        } catch (StoreException e) {
            return full.find(key, one).quotaWait();
        }
    }

    private static void write(Transactions transactions, int number) {
        transactions.run(tx -> NOTES.create(tx, "n" + number, DATA));
    }
}
