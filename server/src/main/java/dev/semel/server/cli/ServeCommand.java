package dev.semel.server.cli;

import dev.semel.server.Server;
import dev.semel.server.log.Log;
import dev.semel.server.settings.Given;
import dev.semel.server.settings.PostgresUrl;
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
        description = "Starts the server, and says what to try.",
        modelTransformer = ServeCommand.Flags.class,
        sortOptions = false,
        footer = {
            "",
            "Every setting can also be given in the environment, SEMEL_LOG_LEVEL for",
            "--log-level, and in a file, as log-level=debug. A flag goes before the",
            "environment, and that before the file.",
            "",
            "Example: ./semel serve --port 9000 --store memory:"
        })
final class ServeCommand implements Runnable {

    @Option(
            names = Given.FILE_FLAG,
            paramLabel = "FILE",
            description = "A file with settings, one a line; " + Given.FILE_VARIABLE + " in the environment.")
    private @Nullable String file;

    @Option(
            names = "--check",
            description = "Starts, asks itself whether it is ready, and stops: to see whether all settings are right.")
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
                askWhetherReady(server);
            }
            terminal.println("All settings are right: it was ready at " + server.url());
        } else {
            stopWithTheProcess(server);
            tell(server, settings);
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
            Given given = new Given(flags, file, environment);
            ServerSettings settings = ServerSettings.of(given, environment, InstantSource.system());
            Log.setLevel(settings.logLevel());
            given.unknownVariables()
                    .forEach(name -> LoggerFactory.getLogger(ServeCommand.class)
                            .atWarn()
                            .addKeyValue("variable", name)
                            .log("There is no such setting"));
            if (flags.containsKey(Setting.STORE)
                    && settings.store().url() instanceof PostgresUrl url
                    && url.hasPassword()) {
                LoggerFactory.getLogger(ServeCommand.class)
                        .atWarn()
                        .log("--store holds a password, which everybody on this machine can see among the processes:"
                                + " give it in SEMEL_STORE or in a file of settings");
            }
            return settings;
        } catch (SettingException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    /** However the process is told to end, if it is told. */
    private static void stopWithTheProcess(Server server) {
        Thread stop = new Thread(
                () -> {
                    server.close();
                    Runtime.getRuntime().halt(0); // that it was told to end is no failure
                },
                "semel-stop");
        Runtime.getRuntime().addShutdownHook(stop);
    }

    /** One line says where it is; those to try leave out the http://. */
    private void tell(Server server, ServerSettings settings) {
        boolean dev = settings.tokens() == null;
        terminal.println("Semel is ready at " + server.url()
                + (dev ? " (dev mode: everybody on this machine may be anybody)" : ""));
        terminal.println("Try this, and then the last line again: the answer comes from the record, and says so.");
        server.commands().forEach(command -> terminal.println("  " + command));
        terminal.flush();
    }

    private static void askWhetherReady(Server server) {
        try {
            int status = server.askWhetherReady();
            if (status != HttpURLConnection.HTTP_OK) {
                throw new IOException("it says " + status);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("It is not ready: " + e.getMessage(), e);
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

        private static final List<Setting> IN_ORDER = List.of(Setting.values());

        @Override
        public CommandSpec transform(CommandSpec spec) {
            for (Setting.Tier tier : Setting.Tier.values()) {
                ArgGroupSpec.Builder group = ArgGroupSpec.builder()
                        .heading("%n" + tier.heading() + "%n")
                        .order(tier.compareTo(Setting.Tier.ESSENTIAL))
                        .exclusive(false)
                        .validate(false);
                IN_ORDER.stream()
                        .filter(setting -> setting.tier() == tier)
                        .forEach(setting -> group.addArg(option(setting)));
                spec.addArgGroup(group.build());
            }
            return spec;
        }

        private static OptionSpec option(Setting setting) {
            String fallback = setting.fallback() == null ? "" : " Unless given: " + setting.fallback() + ".";
            return OptionSpec.builder(setting.flag())
                    .paramLabel(setting.label())
                    .type(String.class)
                    .description(setting.description() + fallback)
                    .order(IN_ORDER.indexOf(setting))
                    .build();
        }
    }
}
