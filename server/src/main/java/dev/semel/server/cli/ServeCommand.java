package dev.semel.server.cli;

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
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "serve",
        description = "Starts the server, and prints commands to try.",
        modelTransformer = ServeCommand.Flags.class,
        sortOptions = false,
        footer = {
            "",
            "Every setting can also be given in the environment, SEMEL_LOG_LEVEL for",
            "--log-level, and in a file, as log-level=debug. A flag takes precedence",
            "over the environment, and the environment over the file.",
            "",
            "Example: ./semel serve --port 9000 --store memory:"
        })
final class ServeCommand implements Runnable {

    @Option(
            names = RawSettings.FILE_FLAG,
            paramLabel = "FILE",
            description = "A file with settings, one per line; " + RawSettings.FILE_VARIABLE + " in the environment.")
    private @Nullable String file;

    @Option(
            names = "--check",
            description = "Starts the server, checks that it is ready, and stops it: to validate the settings.")
    private boolean check;

    @Spec
    private CommandSpec spec;

    private final Terminal terminal;

    ServeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void run() {
        ServerSettings settings = settings(System.getenv());
        Server server = Server.start(settings);
        if (check) {
            try (server) {
                checkReadiness(server);
            }
            terminal.println("All settings are right: it was ready at " + server.url());
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
                    .forEach(name -> LoggerFactory.getLogger(ServeCommand.class)
                            .atWarn()
                            .addKeyValue("variable", name)
                            .log("Unknown setting"));
            if (flags.containsKey(Setting.STORE)
                    && settings.store().url() instanceof PostgresUrl url
                    && url.hasPassword()) {
                LoggerFactory.getLogger(ServeCommand.class)
                        .atWarn()
                        .log(
                                "--store holds a password, which the list of processes shows to every user of this machine:"
                                        + " set it in SEMEL_STORE or in a settings file");
            }
            return settings;
        } catch (SettingException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
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

    /** Prints where the server is, and commands to try. */
    private void announce(Server server, ServerSettings settings) {
        boolean dev = settings.tokens() == null;
        terminal.println("Semel is ready at " + server.url()
                + (dev ? " (dev mode: every user of this machine can act as any user)" : ""));
        terminal.println("Try this, and then the last line again: the response is replayed, and its headers show it.");
        server.commands().forEach(command -> terminal.println("  " + command));
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

    /** Adds a flag for each setting, by tiers. */
    static final class Flags implements IModelTransformer {

        private static final List<Setting> SETTINGS = List.of(Setting.values());

        @Override
        public CommandSpec transform(CommandSpec spec) {
            for (Setting.Tier tier : Setting.Tier.values()) {
                ArgGroupSpec.Builder group = ArgGroupSpec.builder()
                        .heading("%n" + tier.heading() + "%n")
                        .order(tier.compareTo(Setting.Tier.ESSENTIAL))
                        .exclusive(false)
                        .validate(false);
                SETTINGS.stream()
                        .filter(setting -> setting.tier() == tier)
                        .forEach(setting -> group.addArg(option(setting)));
                spec.addArgGroup(group.build());
            }
            return spec;
        }

        private static OptionSpec option(Setting setting) {
            String fallback = setting.fallback() == null ? "" : " Default: " + setting.fallback() + ".";
            return OptionSpec.builder(setting.flag())
                    .paramLabel(setting.label())
                    .type(String.class)
                    .description(setting.description() + fallback)
                    .order(SETTINGS.indexOf(setting))
                    .build();
        }
    }
}
