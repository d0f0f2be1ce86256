package dev.semel.server.migration;

import dev.semel.document.Transaction;
import dev.semel.key.KeyRange;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.DocumentStore.Scan;
import java.util.List;
import java.util.Optional;

/** The states of the migrations of a store, in documents. */
final class States {

    private static final String COLLECTION = "migration/state";
    private static final int MOST = 10_000;

    private final DocumentStore store;

    States(DocumentStore store) {
        this.store = store;
    }

    private static DocumentId id(int number) {
        return new DocumentId(COLLECTION, "", String.format("%06d", number));
    }

    /** Returns all migrations, the first one first. */
    List<MigrationState> all() {
        return store.scan(new Scan(COLLECTION, "", "", KeyRange.ofPrefix(""), "", MOST)).stream()
                .map(document -> MigrationState.of(document.data()))
                .toList();
    }

    /** Returns the latest migration; empty if there is none. */
    Optional<MigrationState> latest() {
        return store.scan(new Scan(COLLECTION, "", "", KeyRange.ofPrefix(""), "", 1, true)).stream()
                .map(document -> MigrationState.of(document.data()))
                .findFirst();
    }

    void create(Transaction tx, MigrationState state) {
        DocumentId id = id(state.number());
        if (tx.expectAbsent(id).isPresent()) {
            throw otherProcess();
        }
        tx.put(Document.created(id, tx.now(), null, state.toJson()), List.of());
    }

    /**
     * Replaces a state.
     *
     * @throws MigrationException if it is not the current one, because another process has changed it
     */
    void replace(Transaction tx, MigrationState current, MigrationState next) {
        Document document = tx.read(id(current.number())).orElseThrow(States::otherProcess);
        if (!MigrationState.of(document.data()).equals(current)) {
            throw otherProcess();
        }
        tx.put(document.updated(tx.now(), next.toJson()), List.of());
    }

    static MigrationException otherProcess() {
        return new MigrationException("Another process is running this migration, or rolls it back");
    }
}
