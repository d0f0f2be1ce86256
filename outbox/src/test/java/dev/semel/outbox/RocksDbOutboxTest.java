package dev.semel.outbox;

import static dev.semel.outbox.OutboxFixture.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.outbox.Outbox.Query;
import dev.semel.rocksdb.RocksDbSettings;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.OrderedStore;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksDbOutboxTest extends OutboxContract {

    @TempDir
    private Path folder;

    @Override
    OrderedStore open(InstantSource clock) {
        return RocksDbStore.open(folder.resolve("store"), RocksDbSettings.DEFAULTS, clock);
    }

    @Test
    void reopenedOutbox_hasAllEntries_andAddsAfterThem() {
        Path other = folder.resolve("reopened");
        OutboxEntry pending;
        OutboxEntry binary;
        try (DocumentStore opened = RocksDbStore.open(other, RocksDbSettings.DEFAULTS, time())) {
            Outbox outbox = Outbox.on(opened);
            pending = outbox.add(request("1"));
            binary = outbox.add(request("2").body("image/png", Payload.of(new byte[] {-1, 0, 1})));
        }
        time().setClock(time().instant().minusSeconds(60));
        try (DocumentStore opened = RocksDbStore.open(other, RocksDbSettings.DEFAULTS, time())) {
            Outbox outbox = Outbox.on(opened);
            OutboxEntry added = outbox.add(request("3"));
            assertThat(outbox.list(Query.all()).entries()).isEqualTo(List.of(pending, binary, added));
        }
    }
}
