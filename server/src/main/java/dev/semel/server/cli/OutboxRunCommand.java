package dev.semel.server.cli;

import dev.semel.outbox.IfExpired;
import dev.semel.outbox.Outbox;
import dev.semel.outbox.Outbox.Page;
import dev.semel.outbox.Outbox.Query;
import dev.semel.outbox.OutboxEntry.Status;
import dev.semel.outbox.OutboxProcessor;
import dev.semel.outbox.Proof;
import dev.semel.outbox.TokenSupplier;
import dev.semel.server.settings.ServerSettings;
import dev.semel.server.settings.SettingException;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "run",
        description = {
            "Sends the entries of an outbox, each until the API has confirmed it.",
            "Entries that are added meanwhile are sent, too. SIGINT and SIGTERM end the command after the requests in progress."
                    + " With --until-empty, the exit status is 0 if all entries are confirmed, and 1 if some have failed."
        },
        customSynopsis = "semel outbox run [OPTIONS] --store URL --to SERVER",
        footer = {
            "",
            "TIME is a whole number with ms, s, m, h or d.",
            "",
            "Example: ./semel outbox run --store rocksdb:queue --dev-user ann --until-empty \\",
            "             --to http://localhost:8080"
        })
final class OutboxRunCommand implements Callable<Integer> {

    private static final Duration BETWEEN_LINES = Duration.ofSeconds(10);
    private static final Duration LONGEST_RUN = Duration.ofDays(36_525);
    private static final long STEP_MILLIS = 250;
    private static final int MOST_LANES = 1000;
    private static final int MOST_ATTEMPTS = 1_000_000;

    /** The most failed entries that are listed, and entries behind them that are counted. */
    private static final int MOST_LISTED = 1000;

    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,7}");
    private static final Pattern HEADER = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern MEDIA_TYPE = Pattern.compile("[\\w.+-]+/[\\w.+-]+");

    @Mixin
    private OutboxOptions options = new OutboxOptions();

    @Option(names = "--to", paramLabel = "SERVER", description = "The server, such as http://localhost:8080.")
    private @Nullable String to;

    @Option(
            names = "--dev-user",
            paramLabel = "USER",
            description = "Acts as this user, with tokens of a server in dev mode.")
    private @Nullable String devUser;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "A file with the token, which is read again when the server rejects it.")
    private @Nullable Path tokenFile;

    @Option(names = "--until-empty", description = "Ends when only failed entries and those behind them are left.")
    private boolean untilEmpty;

    @Option(
            names = "--parallel",
            paramLabel = "N",
            defaultValue = "16",
            description = "The most requests in progress at a time. Default: ${DEFAULT-VALUE}.")
    private int parallel;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "30s",
            description = "How long a request may take. Default: ${DEFAULT-VALUE}.")
    private String timeout = "";

    @Option(
            names = "--give-up-after",
            paramLabel = "LIMIT",
            description =
                    "When an entry fails without a final response: a number of attempts such as 20, or an age such as 7d."
                            + " Without it, entries are sent until there is one.")
    private @Nullable String giveUpAfter;

    @Option(
            names = "--key-life",
            paramLabel = "TIME",
            defaultValue = "24h",
            description =
                    "How long the server keeps keys, if its responses do not show it. Older entries are looked up, and not"
                            + " sent blindly. Default: ${DEFAULT-VALUE}.")
    private String keyLife = "";

    @Option(
            names = "--tombstone-life",
            paramLabel = "TIME",
            defaultValue = "30d",
            description = "How long it remembers expired keys. Default: ${DEFAULT-VALUE}.")
    private String tombstoneLife = "";

    @Option(
            names = "--if-expired",
            paramLabel = "POLICY",
            defaultValue = "fail",
            completionCandidates = Policies.class,
            description =
                    "Handling of entries that were sent before, and that the server has forgotten: ${COMPLETION-CANDIDATES}. If"
                            + " send, they may take effect twice. Default: ${DEFAULT-VALUE}.")
    private String ifExpired = "";

    @Option(
            names = "--proof",
            paramLabel = "PROOF",
            description =
                    "For servers other than Semel, how their responses are distinguished from those of captive portals and"
                            + " proxies: header:NAME or content-type:TYPE.")
    private @Nullable String proof;

    @Option(
            names = "--keep",
            paramLabel = "TIME",
            defaultValue = "7d",
            description = "How long confirmed entries are kept. Default: ${DEFAULT-VALUE}.")
    private String keep = "";

    @Option(names = "--quiet", description = "Shows no progress.")
    private boolean quiet;

    @Spec
    private CommandSpec spec;

    private final Terminal terminal;

    OutboxRunCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** The choices of --if-expired. */
    static final class Policies implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return List.of("fail", "send").iterator();
        }
    }

    /** Applies an option to a processor. */
    private interface Setting {
        void apply(OutboxProcessor.Builder builder);
    }

    @Override
    public Integer call() throws Exception {
        URI server = server();
        TokenSupplier tokens = tokens(server);
        Setting settings = settings();
        Duration kept = time("--keep", keep);
        try (Termination termination = new Termination(untilEmpty)) {
            try (OutboxOptions.Opened opened = options.openToSend(kept)) {
                StatusLine line = quiet ? StatusLine.none(spec) : StatusLine.every(spec, BETWEEN_LINES);
                SendingProgress progress = new SendingProgress(terminal, line, !untilEmpty);
                OutboxProcessor.Builder builder =
                        OutboxProcessor.builder(opened.outbox(), server).listener(progress);
                settings.apply(builder);
                if (tokens != null) {
                    builder.token(tokens);
                }
                if (!untilEmpty) {
                    terminal.println("Sending to " + server + " until the process is terminated");
                    terminal.flush();
                }
                boolean isEmpty = send(builder, progress, termination);
                terminal.println("Confirmed " + EntryOutput.count(progress.confirmed()));
                if (!isEmpty) {
                    return ExitCode.OK; // unless a signal has ended --until-empty, see Termination
                }
                ExpiredEntries.deleteIfDue(opened);
                return report(opened.outbox());
            } finally {
                terminal.flush(); // the process ends with the termination
            }
        }
    }

    /** Sends until the outbox is empty or the process is terminated, and returns whether the outbox is empty. */
    private boolean send(OutboxProcessor.Builder builder, SendingProgress progress, Termination termination)
            throws InterruptedException, ExecutionException {
        boolean isEmpty = false;
        try (OutboxProcessor processor = builder.start()) {
            FutureTask<Boolean> empty = new FutureTask<>(() -> processor.awaitEmpty(LONGEST_RUN));
            if (untilEmpty) {
                Thread awaiting = new Thread(empty, "semel-until-empty");
                awaiting.setDaemon(true);
                awaiting.start();
            }
            while (!isEmpty && !termination.isRequested()) {
                if (untilEmpty) {
                    isEmpty = isTrue(empty);
                } else {
                    termination.await(STEP_MILLIS);
                }
                progress.show();
            }
        }
        progress.end();
        return isEmpty;
    }

    private static boolean isTrue(FutureTask<Boolean> result) throws InterruptedException, ExecutionException {
        try {
            return result.get(STEP_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return false;
        }
    }

    /** Lists the entries that are left, and returns the exit status. */
    private int report(Outbox outbox) {
        Page failed = outbox.list(new Query(Status.FAILED, null, "", MOST_LISTED));
        if (failed.entries().isEmpty()) {
            return ExitCode.OK;
        }
        EntryOutput.printTable(terminal, failed.entries(), true);
        terminal.flush();
        Page behind = outbox.list(new Query(Status.PENDING, null, "", MOST_LISTED));
        spec.commandLine()
                .getErr()
                .println(spec.qualifiedName() + ": Failed entries: " + count(failed)
                        + ". Entries behind them in their lanes: " + count(behind)
                        + ". See './semel outbox show ID', then retry or discard them");
        return ExitCode.SOFTWARE;
    }

    private static String count(Page page) {
        return (page.next().isEmpty() ? "" : "more than ") + page.entries().size();
    }

    private URI server() {
        String given = to;
        if (given == null) {
            throw new UsageException(spec, "--to is missing: the address of a server such as http://localhost:8080.");
        }
        try {
            URI uri = new URI(given);
            boolean http = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
            boolean bare = uri.getRawUserInfo() == null && uri.getRawQuery() == null && uri.getRawFragment() == null;
            String path = uri.getRawPath();
            if (http && bare && uri.getHost() != null && (path == null || path.isEmpty() || path.equals("/"))) {
                return uri;
            }
        } catch (URISyntaxException e) {
            throw UsageErrors.notAccepted(spec, "--to", given);
        }
        throw UsageErrors.notAccepted(spec, "--to", given);
    }

    private @Nullable TokenSupplier tokens(URI server) throws InterruptedException {
        if (devUser != null && tokenFile != null) {
            throw new UsageException(spec, "--dev-user and --token-file cannot be given together.");
        }
        if (tokenFile == null) {
            return devUser == null ? null : new DevToken(server, devUser);
        }
        TokenFile file = new TokenFile(tokenFile);
        try {
            file.token(null); // a wrong name is reported at once
        } catch (IOException e) {
            throw new FailureException(String.valueOf(e.getMessage()), e);
        }
        return file;
    }

    private Setting settings() {
        Duration longest = time("--timeout", timeout);
        Duration keys = time("--key-life", keyLife);
        Duration tombstones = time("--tombstone-life", tombstoneLife);
        IfExpired policy = policy();
        Setting limit = limit();
        Setting origin = origin();
        if (parallel < 1 || parallel > MOST_LANES) {
            throw new UsageException(
                    spec, "--parallel must be a whole number from 1 to " + MOST_LANES + ", not '" + parallel + "'.");
        }
        return builder -> {
            builder.parallel(parallel)
                    .timeout(longest)
                    .keyLife(keys)
                    .tombstoneLife(tombstones)
                    .ifExpired(policy);
            limit.apply(builder);
            origin.apply(builder);
        };
    }

    private IfExpired policy() {
        return switch (ifExpired) {
            case "fail" -> IfExpired.FAIL;
            case "send" -> IfExpired.SEND;
            default -> throw UsageErrors.notAccepted(spec, "--if-expired", ifExpired);
        };
    }

    private Setting limit() {
        String given = giveUpAfter;
        if (given == null) {
            return builder -> {};
        }
        if (NUMBER.matcher(given).matches()) {
            int attempts = Integer.parseInt(given);
            if (attempts < 1 || attempts > MOST_ATTEMPTS) {
                throw UsageErrors.notAccepted(spec, "--give-up-after", given);
            }
            return builder -> builder.giveUpAfter(attempts);
        }
        Duration age;
        try {
            age = ServerSettings.time("--give-up-after", given);
        } catch (SettingException e) {
            throw UsageErrors.notAccepted(spec, "--give-up-after", given);
        }
        return builder -> builder.giveUpAfter(age);
    }

    private Setting origin() {
        String given = proof;
        if (given == null) {
            return builder -> {};
        }
        String value = given.substring(given.indexOf(':') + 1);
        if (given.startsWith("header:") && HEADER.matcher(value).matches()) {
            return builder -> builder.proof(Proof.header(value)).cannotAsk();
        }
        if (given.startsWith("content-type:") && MEDIA_TYPE.matcher(value).matches()) {
            return builder -> builder.proof(Proof.contentType(value)).cannotAsk();
        }
        throw UsageErrors.notAccepted(spec, "--proof", given);
    }

    private Duration time(String option, String text) {
        try {
            return ServerSettings.time(option, text);
        } catch (SettingException e) {
            throw UsageException.of(spec, e);
        }
    }
}
