package dev.semel.server;

import dev.semel.document.Transactions;
import dev.semel.id.IdRegistry.IdKind;
import dev.semel.once.OnceListener;
import dev.semel.server.apps.collections.Collections;
import dev.semel.server.apps.feed.Feed;
import dev.semel.server.apps.reputation.Reputation;
import dev.semel.server.apps.tables.Actions;
import dev.semel.server.apps.tables.TableIds;
import dev.semel.server.apps.tables.Tables;
import dev.semel.server.apps.textpile.Textpile;
import dev.semel.server.settings.AppSettings;
import dev.semel.server.settings.ShortIdSettings;
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
 * @param mismatchListener called for each duplicate of a settlement with another payload
 * @param settings settings of the systems
 */
public record Apps(
        OrderedStore store,
        Transactions transactions,
        Time time,
        OnceListener listener,
        Runnable mismatchListener,
        AppSettings settings) {

    /** Returns the kinds of ids in the systems. */
    public static List<IdKind> idKinds() {
        return TableIds.REGISTRY.kinds();
    }

    /** Returns a new instance of each system. */
    public List<App> all() {
        return List.of(
                textpile(settings.shortIds()),
                new Collections(transactions),
                new Feed(store, transactions, time, settings.feedRetention()),
                new Tables(store, new Actions(transactions, time, listener), mismatchListener),
                new Reputation(store, settings.readsLegacyKeys()));
    }

    private Textpile textpile(ShortIdSettings ids) {
        return ids.keyValues() == null
                ? new Textpile(store, ids.letters())
                : Textpile.onKeyValues(store, ids.letters(), ids.keyValues(), ids.overwritesAccepted(), time);
    }
}
