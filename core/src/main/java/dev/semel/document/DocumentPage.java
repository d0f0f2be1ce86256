package dev.semel.document;

import dev.semel.store.Document;
import java.util.List;
import java.util.Optional;

/**
 * Some documents, in order.
 *
 * @param items the documents
 * @param next where to go on, if there may be more: opaque, safe in a URL, and right however many documents come and go meanwhile
 */
public record DocumentPage(List<Document> items, Optional<String> next) {

    public DocumentPage {
        items = List.copyOf(items);
    }
}
