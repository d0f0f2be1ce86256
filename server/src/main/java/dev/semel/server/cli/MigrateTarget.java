package dev.semel.server.cli;

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
import dev.semel.store.Time;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option that names the store of a migration. */
final class MigrateTarget {

    /** One for the source, one for the target, and one for the clock of the database. */
    private static final int FEW_CONNECTIONS = 4;

    @Option(
            names = "--to",
            paramLabel = "URL",
            description = "The store of the documents: rocksdb:FOLDER, or the URL of a PostgreSQL database. A password"
                    + " belongs into SEMEL_STORE, since other users can read options.")
    private @Nullable String to;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    private final Time time = Time.system();

    Time time() {
        return time;
    }

    /** Returns the settings of the target. */
    StoreSettings settings() {
        return settings("--to", to);
    }

    /** Returns the settings of a store. The environment is used if the URL is null. */
    StoreSettings settings(String flag, @Nullable String url) {
        try {
            Map<Setting, String> given = url == null ? Map.of() : Map.of(Setting.STORE, url);
            RawSettings raw = new RawSettings(given, null, System.getenv());
            StoreSettings settings = ServerSettings.durableStore(raw);
            if (url != null && settings.url() instanceof PostgresUrl postgres && postgres.hasPassword()) {
                command.commandLine()
                        .getErr()
                        .println(command.qualifiedName() + ": " + flag
                                + " holds a password, which every user of this machine can read in the list of"
                                + " processes. Set it in SEMEL_STORE.");
            }
            return raw.isSet(Setting.STORE_CONNECTIONS) ? settings : settings.withConnections(FEW_CONNECTIONS);
        } catch (SettingException e) {
            String fault = String.valueOf(e.getMessage());
            String named = fault.startsWith(Setting.STORE.flag() + " ")
                    ? flag + fault.substring(Setting.STORE.flag().length())
                    : fault;
            throw new UsageException(command, named + ".");
        }
    }

    static boolean exists(StoreSettings settings) {
        return !(settings.url() instanceof StoreUrl.Directory folder) || RocksDbStore.exists(folder.path());
    }

    /** Opens a store. A store in a folder must exist. */
    Storage openExisting(StoreSettings settings) {
        if (settings.url() instanceof StoreUrl.Directory folder && !exists(settings)) {
            throw new FailureException("There is no store in " + folder.path());
        }
        return open(settings);
    }

    Storage open(StoreSettings settings) {
        Log.setLevel(Level.ERROR); // a failure is reported in one line
        return Storage.open(settings, time);
    }
}
