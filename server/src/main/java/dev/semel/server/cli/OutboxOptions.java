package dev.semel.server.cli;

import dev.semel.outbox.Outbox;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.server.Storage;
import dev.semel.server.log.Log;
import dev.semel.server.settings.PostgresUrl;
import dev.semel.server.settings.RawSettings;
import dev.semel.server.settings.ServerSettings;
import dev.semel.server.settings.Setting;
import dev.semel.server.settings.SettingException;
import dev.semel.server.settings.StoreSettings;
import dev.semel.server.settings.StoreUrl;
import dev.semel.server.settings.Suggestions;
import dev.semel.store.Time;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options that name an outbox. */
final class OutboxOptions {

    private static final Pattern NAME = Pattern.compile("[a-z0-9_]{1,32}");

    /** Enough for a command that sends one statement after another. */
    private static final int FEW_CONNECTIONS = 2;

    @Option(
            names = "--store",
            paramLabel = "URL",
            description = "The store: rocksdb:FOLDER, or the URL of a PostgreSQL database. A password belongs into"
                    + " SEMEL_STORE, since other users can read options.")
    private @Nullable String store;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            defaultValue = Outbox.DEFAULT_NAME,
            description = "One of several outboxes in the store. Default: ${DEFAULT-VALUE}.")
    private String name = Outbox.DEFAULT_NAME;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** An outbox, and the store that it is in. */
    record Opened(Outbox outbox, Storage storage, Time time) implements AutoCloseable {
        @Override
        public void close() {
            storage.close();
        }
    }

    /** Opens the outbox for one short command. The store must exist. */
    Opened open() {
        Log.setLevel(Level.ERROR); // a failure is reported in one line
        return open(existing(settings()), Outbox.DEFAULT_KEEP_CONFIRMED);
    }

    /** Opens the outbox for one short command, and creates the store if it does not exist. */
    Opened openOrCreate() {
        Log.setLevel(Level.ERROR);
        return open(settings(), Outbox.DEFAULT_KEEP_CONFIRMED);
    }

    /** Opens the outbox for a processor. The store must exist. */
    Opened openToSend(Duration keepConfirmed) {
        return open(existing(settings(ServerSettings::durableStore)), keepConfirmed);
    }

    /** Reads settings of a store. */
    private interface Reader {
        StoreSettings read(RawSettings raw);
    }

    private StoreSettings settings() {
        return settings(raw -> {
            StoreSettings settings = ServerSettings.durableStore(raw);
            return raw.isSet(Setting.STORE_CONNECTIONS) ? settings : settings.withConnections(FEW_CONNECTIONS);
        });
    }

    private StoreSettings settings(Reader reader) {
        try {
            StoreSettings settings = reader.read(
                    new RawSettings(store == null ? Map.of() : Map.of(Setting.STORE, store), null, System.getenv()));
            if (store != null && settings.url() instanceof PostgresUrl url && url.hasPassword()) {
                command.commandLine()
                        .getErr()
                        .println(command.qualifiedName()
                                + ": --store holds a password, which every user of this machine can read in the list of"
                                + " processes. Set it in SEMEL_STORE.");
            }
            return settings;
        } catch (SettingException e) {
            throw UsageException.of(command, e);
        }
    }

    private static StoreSettings existing(StoreSettings settings) {
        if (settings.url() instanceof StoreUrl.Directory folder && !RocksDbStore.exists(folder.path())) {
            throw new FailureException("There is no store in " + folder.path() + ". 'outbox add' creates it.");
        }
        return settings;
    }

    private Opened open(StoreSettings settings, Duration keepConfirmed) {
        if (!NAME.matcher(name).matches()) {
            throw new UsageException(
                    command,
                    "--name must be 1 to 32 lower-case letters, digits and underscores, not " + Suggestions.quote(name)
                            + ".");
        }
        Time time = Time.system();
        Storage storage = Storage.open(settings, time);
        try {
            return new Opened(Outbox.on(storage.store(), name, keepConfirmed), storage, time);
        } catch (RuntimeException e) {
            storage.close();
            throw e;
        }
    }
}
