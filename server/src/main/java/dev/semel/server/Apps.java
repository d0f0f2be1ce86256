package dev.semel.server;

import dev.semel.document.Transactions;
import dev.semel.once.OnceListener;
import dev.semel.server.apps.collections.Collections;
import dev.semel.server.apps.feed.Feed;
import dev.semel.server.apps.reputation.Reputation;
import dev.semel.server.apps.tables.Actions;
import dev.semel.server.apps.tables.Tables;
import dev.semel.server.apps.textpile.Textpile;
import dev.semel.server.settings.AppSettings;
import dev.semel.server.web.App;
import dev.semel.store.Time;
import dev.semel.store.spi.OrderedStore;
import java.util.List;

/**
 * Creates the five example systems, which share the store of the server.
 *
 * @param transactions transactions on the store
 * @param time used for waiting only; the current time comes from the store
 * @param listener receives the events of engines that a system creates
 * @param settings settings of the systems
 */
public record Apps(
        OrderedStore store, Transactions transactions, Time time, OnceListener listener, AppSettings settings) {

    /** Returns a new instance of each system. */
    public List<App> all() {
        return List.of(
                new Textpile(store, settings.shortIdLetters()),
                new Collections(transactions),
                new Feed(store, transactions, time, settings.feedRetention()),
                new Tables(store, new Actions(transactions, time, listener)),
                new Reputation(store, settings.readsLegacyKeys()));
    }
}
