package dev.semel.server.cli;

import dev.semel.kv.KvTiming;
import dev.semel.server.Server;
import dev.semel.server.log.Log;
import dev.semel.server.settings.PostgresUrl;
import dev.semel.server.settings.RawSettings;
import dev.semel.server.settings.ServerSettings;
import dev.semel.server.settings.Setting;
import dev.semel.server.settings.SettingException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.SocketException;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "serve",
        customSynopsis = "semel serve [OPTIONS]",
        description =
                "Starts the server. Without options, it listens on http://localhost:8080, stores data in ./data, and"
                        + " runs in dev mode: anyone on this machine can sign in as any user.",
        modelTransformer = ServeCommand.Flags.class,
        footer = {
            "",
            "TIME is a whole number with ms, s, m, h or d. SIZE is a whole number with KiB, MiB or GiB.",
            "Settings can also be set in the environment (SEMEL_LOG_LEVEL=debug) or in the settings file (log-level=debug)."
                    + " Options override both, and the environment overrides the file.",
            "",
            "Examples: ./semel serve --port 9000 --store memory:",
            "          ./semel serve --host 0.0.0.0 --auth secret:FILE"
        })
final class ServeCommand implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(ServeCommand.class);

    @Option(
            names = RawSettings.FILE_FLAG,
            paramLabel = "FILE",
            description = "Settings file (in the environment: " + RawSettings.FILE_VARIABLE + ").")
    private @Nullable String file;

    @Option(
            names = "--check",
            description =
                    "Starts the server, which creates or upgrades the store, checks that it is ready, and stops it.")
    private boolean check;

    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(names = ServeHelp.ALL, usageHelp = true, description = "Prints this help with all settings.")
    private boolean helpAll;

    @Spec
    private CommandSpec spec;

    private final Terminal terminal;

    ServeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void run() {
        ServerSettings settings = settings(System.getenv());
        Server server = start(settings);
        if (check) {
            try (server) {
                checkReadiness(server);
            }
            terminal.println("All settings are valid. The server was ready at " + server.url());
        } else {
            stopWithTheProcess(server);
            announce(server, settings);
            await();
        }
    }

    private ServerSettings settings(Map<String, String> environment) {
        Map<Setting, String> flags = new EnumMap<>(Setting.class);
        for (Setting setting : Setting.values()) {
            String value = spec.commandLine().getParseResult().matchedOptionValue(setting.flag(), (String) null);
            if (value != null) {
                flags.put(setting, value);
            }
        }
        try {
            RawSettings raw = new RawSettings(flags, file, environment);
            ServerSettings settings = ServerSettings.of(raw, environment, InstantSource.system());
            Log.setLevel(settings.logLevel());
            raw.unknownVariables()
                    .forEach((name, similar) -> LOG.atWarn()
                            .addKeyValue("variable", name)
                            .addKeyValue("similar", similar)
                            .log("Unknown setting"));
            if (flags.containsKey(Setting.STORE)
                    && settings.store().url() instanceof PostgresUrl url
                    && url.hasPassword()) {
                LOG.atWarn()
                        .log(
                                "--store holds a password, which every user of this machine can read in the list of processes."
                                        + " Set it in SEMEL_STORE or in a settings file.");
            }
            warnOfOverwrites(settings.apps().shortIds().keyValues());
            return settings;
        } catch (SettingException e) {
            throw UsageException.of(spec, e);
        }
    }

    private static void warnOfOverwrites(@Nullable KvTiming timing) {
        if (timing != null) {
            timing.violation()
                    .ifPresent(
                            violation -> LOG.atWarn()
                                    .addKeyValue("condition", violation)
                                    .log(
                                            "--kv-accept-overwrites is set: requests at the same time may overwrite each other's posts"));
        }
    }

    /** Starts the server, and describes what is wrong with an address that it cannot use. */
    private static Server start(ServerSettings settings) {
        try {
            return Server.start(settings);
        } catch (UncheckedIOException e) {
            String reason = String.valueOf(e.getMessage());
            if (!isAboutTheAddress(e)) {
                throw e;
            }
            String address = settings.host() + " port " + settings.port();
            if (reason.contains("already in use")) {
                reason = "Port " + settings.port() + " of " + settings.host()
                        + " is already in use. Choose another port with --port, or stop the program that uses it.";
            } else if (reason.endsWith("Cannot assign requested address")) {
                reason = "Cannot listen on " + address + ": this machine does not have the address. Set --host.";
            } else if (reason.endsWith("Permission denied")) {
                reason = "Cannot listen on " + address
                        + ": permission denied. Choose a port of 1024 or more with --port.";
            }
            throw new UncheckedIOException(reason, e.getCause());
        }
    }

    private static boolean isAboutTheAddress(Throwable e) {
        return e instanceof SocketException || (e.getCause() != null && isAboutTheAddress(e.getCause()));
    }

    /** Closes the server when the process is terminated. */
    private static void stopWithTheProcess(Server server) {
        Thread stop = new Thread(
                () -> {
                    server.close();
                    Runtime.getRuntime().halt(0); // termination by a signal is not a failure
                },
                "semel-stop");
        Runtime.getRuntime().addShutdownHook(stop);
    }

    /** Prints the address of the server, and commands to try. */
    private void announce(Server server, ServerSettings settings) {
        boolean dev = settings.tokens() == null;
        terminal.println("Semel is ready at " + server.url()
                + (dev ? " (dev mode: every user of this machine can act as any user)" : ""));
        terminal.println("Paste this into another terminal" + (dev ? "" : ", with a token")
                + ". The second call is replayed, the third is rejected:");
        terminal.println("");
        server.commands().forEach(terminal::println);
        terminal.println("");
        terminal.flush();
    }

    private static void checkReadiness(Server server) {
        try {
            int status = server.requestReadiness();
            if (status != HttpURLConnection.HTTP_OK) {
                throw new IOException("status " + status);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The server is not ready: " + e.getMessage(), e);
        }
    }

    private static void await() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Adds an option for each setting. */
    static final class Flags implements IModelTransformer {

        @Override
        public CommandSpec transform(CommandSpec spec) {
            for (Setting setting : Setting.values()) {
                spec.addOption(OptionSpec.builder(setting.flag())
                        .paramLabel(setting.label())
                        .type(String.class)
                        .arity(setting.isSwitch() ? "0..1" : "1")
                        .fallbackValue(setting.isSwitch() ? "true" : "")
                        .completionCandidates(setting.choices().isEmpty() ? null : setting.choices())
                        .description(setting.plainText())
                        .build());
            }
            spec.usageMessage()
                    .sectionMap()
                    .put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, help -> new ServeHelp(help.commandSpec()).options());
            return spec;
        }
    }
}
