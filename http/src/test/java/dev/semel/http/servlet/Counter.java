package dev.semel.http.servlet;

import dev.semel.document.Transaction;
import dev.semel.json.Json;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.spi.DocumentStore;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A document with a counter, which shows whether an effect happened twice. */
final class Counter {

    private static final DocumentId ID = new DocumentId("counters", "", "one");

    private Counter() {}

    static int increment(Transaction tx) {
        Optional<Document> before = tx.read(ID);
        int count = before.map(Counter::value).orElse(0) + 1;
        long version = before.map(Document::version).orElse(0L) + 1;
        Instant created = before.map(Document::createdAt).orElse(tx.now());
        tx.put(new Document(ID, version, created, tx.now(), null, Json.of("" + count), "", 0), List.of());
        return count;
    }

    static int read(DocumentStore store) {
        return store.read(ID).map(Counter::value).orElse(0);
    }

    private static int value(Document document) {
        return Integer.parseInt(document.data().text());
    }
}
