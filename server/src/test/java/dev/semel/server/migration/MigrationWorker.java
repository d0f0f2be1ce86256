package dev.semel.server.migration;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.rocksdb.RocksDbSettings;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.store.Time;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.OnceStore;
import dev.semel.testkit.ForwardingStore;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Migrates generated documents into an embedded store, and prints the state. Its arguments are the folder, the number of documents, the size
 * of a batch, and the commit at which the process ends at once: N before it is written, -N after it was, 0 for none.
 */
final class MigrationWorker {

    private static final int KILLED = 137;

    private MigrationWorker() {}

    public static void main(String[] arguments) {
        Path folder = Path.of(arguments[0]);
        long documents = Long.parseLong(arguments[1]);
        int batch = Integer.parseInt(arguments[2]);
        int killedAt = Integer.parseInt(arguments[3]);
        try (RocksDbStore store =
                RocksDbStore.open(folder, RocksDbSettings.DEFAULTS.withMemoryBytes(64L << 20), Time.system())) {
            long startedAt = System.nanoTime();
            MigrationState state = new Migration(new HaltingStore(store, killedAt), Time.system(), batch)
                    .run(
                            new NdjsonSource(new Documents(documents), "generated", 0),
                            MigrationFixture.merging("newest"),
                            MigrationListener.NONE);
            System.out.println(state.total() + " in " + (System.nanoTime() - startedAt) / 1_000_000 + " ms");
        }
    }

    /** Ends the process at a commit, as {@code kill -9} does. */
    private static final class HaltingStore extends ForwardingStore {
        private final int killedAt;
        private int commits;

        HaltingStore(OnceStore store, int killedAt) {
            super(store);
            this.killedAt = killedAt;
        }

        @Override
        public CommitResult commit(Commit commit) {
            commits++;
            if (commits == killedAt) {
                Runtime.getRuntime().halt(KILLED);
            }
            CommitResult result = super.commit(commit);
            if (commits == -killedAt) {
                Runtime.getRuntime().halt(KILLED);
            }
            return result;
        }
    }

    /** Votes as lines of JSON, made while they are read. Every tenth has the key of the one before. */
    static final class Documents extends InputStream {
        private final long count;
        private long next;
        private byte[] line = {};
        private int at;

        Documents(long count) {
            this.count = count;
        }

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0];
        }

        @Override
        public int read(byte[] buffer, int offset, int length) {
            if (at == line.length) {
                if (next == count) {
                    return -1;
                }
                line = line(next++);
                at = 0;
            }
            int copied = Math.min(length, line.length - at);
            System.arraycopy(line, at, buffer, offset, copied);
            at += copied;
            return copied;
        }

        private static byte[] line(long number) {
            long id = number % 10 == 9 ? number - 1 : number;
            String user = uuid(id % 1000);
            String tag = uuid(id % 100);
            return ("{\"collection\":\"votes\",\"key\":\"USR_" + user + "_TAG_" + tag + "_TAR_" + uuid(id % 777)
                            + "_KEY_"
                            + uuid(id)
                            + "\",\"version\":2,\"createdAt\":\"2025-01-01T00:00:00Z\",\"data\":{\"owner\":\""
                            + user + "\",\"n\":" + number + ",\"text\":\"a comment of a usual length\"}}\n")
                    .getBytes(UTF_8);
        }

        private static String uuid(long number) {
            char[] digits = "00000000000040008000000000000000".toCharArray();
            String hex = Long.toHexString(number);
            System.arraycopy(hex.toCharArray(), 0, digits, digits.length - hex.length(), hex.length());
            return String.valueOf(Arrays.copyOf(digits, digits.length));
        }
    }
}
