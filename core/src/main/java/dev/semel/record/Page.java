package dev.semel.record;

import dev.semel.store.Document;
import java.util.List;
import java.util.Optional;

/**
 * Some records, in order.
 *
 * @param items the records
 * @param next where to go on, if there may be more: opaque, safe in a URL, and right however many records come and go meanwhile
 */
public record Page(List<Document> items, Optional<String> next) {

    public Page {
        items = List.copyOf(items);
    }
}
