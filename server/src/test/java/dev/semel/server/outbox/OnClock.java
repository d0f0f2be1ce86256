package dev.semel.server.outbox;

import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.spi.OrderedStore;
import dev.semel.testkit.ForwardingStore;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** A shared store whose documents expire by another clock, which is never behind the one of the store. */
final class OnClock extends ForwardingStore {

    private final InstantSource clock;

    OnClock(OrderedStore store, InstantSource clock) {
        super(store);
        this.clock = clock;
    }

    @Override
    public InstantSource clock() {
        return clock;
    }

    @Override
    public Optional<Document> read(DocumentId id) {
        return super.read(id).filter(document -> !document.isExpiredAt(clock.instant()));
    }

    @Override
    public List<Document> scan(Scan scan) {
        return super.scan(scan).stream()
                .filter(document -> !document.isExpiredAt(clock.instant()))
                .toList();
    }
}
