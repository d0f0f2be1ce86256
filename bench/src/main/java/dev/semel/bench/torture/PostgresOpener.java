package dev.semel.bench.torture;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.postgres.PostgresSettings;
import dev.semel.postgres.PostgresStore;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.spi.DocumentStore;
import dev.semel.testkit.ForwardingStore;
import dev.semel.testkit.crash.StoreOpener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** Opens the store in the database whose URL is in the folder. Waits until the database can be reached. */
public final class PostgresOpener implements StoreOpener {

    private static final int CONNECTIONS = 4;
    private static final long TIMEOUT_MILLIS = 1_000;
    private static final long POLL_NANOS = 20_000_000;

    /** Writes the URL of the database to the folder. */
    static void write(Path folder, String url) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(url(folder), url);
    }

    private static Path url(Path folder) {
        return folder.resolve("url");
    }

    @Override
    public DocumentStore open(Path folder, Time time) {
        HikariDataSource pool = pool(folder);
        while (true) {
            try {
                return new Pooled(PostgresStore.open(pool, PostgresSettings.DEFAULTS), pool);
            } catch (StoreException e) {
                if (e.isCertain()) {
                    pool.close();
                    throw e;
                }
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
    }

    private static HikariDataSource pool(Path folder) {
        HikariConfig config = new HikariConfig();
        try {
            config.setJdbcUrl(Files.readString(url(folder)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        config.setMaximumPoolSize(CONNECTIONS);
        config.setConnectionTimeout(TIMEOUT_MILLIS);
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }

    /** A store that closes its connection pool. */
    private static final class Pooled extends ForwardingStore {

        private final HikariDataSource pool;

        Pooled(DocumentStore store, HikariDataSource pool) {
            super(store);
            this.pool = pool;
        }

        @Override
        public void close() {
            super.close();
            pool.close();
        }
    }
}
