package dev.semel.server;

import dev.semel.once.OnceListener;
import dev.semel.server.collections.Collections;
import dev.semel.server.feed.Feed;
import dev.semel.server.reputation.Reputation;
import dev.semel.server.settings.AppSettings;
import dev.semel.server.tables.Actions;
import dev.semel.server.tables.Tables;
import dev.semel.server.textpile.Textpile;
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
 * @param listener hears what engines of their own do
 * @param settings what they are told
 */
public record Apps(Store store, Transactions transactions, Time time, OnceListener listener, AppSettings settings) {

    /** All of them. */
    public List<App> all() {
        return List.of(
                new Textpile(store, settings.shortIdLetters()),
                new Collections(transactions),
                new Feed(transactions, time, settings.feedRetention()),
                new Tables(store, new Actions(transactions, time, listener)),
                new Reputation(store));
    }
}
