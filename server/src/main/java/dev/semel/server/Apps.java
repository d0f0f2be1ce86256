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
 * The systems that the server serves, and what they are made of.
 *
 * @param transactions on the store
 * @param time by which they wait; the current time comes from the store
 * @param listener receives the events of their own engines
 * @param settings their settings
 */
public record Apps(
        OrderedStore store, Transactions transactions, Time time, OnceListener listener, AppSettings settings) {

    /** All of them. */
    public List<App> all() {
        return List.of(
                new Textpile(store, settings.shortIdLetters()),
                new Collections(transactions),
                new Feed(store, transactions, time, settings.feedRetention()),
                new Tables(store, new Actions(transactions, time, listener)),
                new Reputation(store));
    }
}
