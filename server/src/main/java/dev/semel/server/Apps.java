package dev.semel.server;

import dev.semel.server.web.App;
import dev.semel.store.Store;
import dev.semel.store.Time;
import dev.semel.store.Transactions;
import java.util.List;

/**
 * The systems behind the port.
 *
 * @param transactions on the store
 * @param time by which they wait; what time it is, the store says
 */
public record Apps(Store store, Transactions transactions, Time time) {

    /** All of them. */
    public List<App> all() {
        return List.of();
    }
}
