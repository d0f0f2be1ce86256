package dev.semel.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.json.Json;
import dev.semel.json.MalformedJsonException;
import dev.semel.outbox.OutboxRequest;
import dev.semel.outbox.Payload;
import dev.semel.server.settings.Suggestions;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "add",
        description = {"Adds requests to an outbox.", "Prints their ids. 'outbox run' sends them."},
        customSynopsis = {
            "semel outbox add [OPTIONS] --store URL --endpoint PATH [--data JSON]",
            "       semel outbox add [OPTIONS] --store URL --ndjson FILE"
        },
        footer = {
            "",
            "A line of --ndjson: {\"endpoint\", \"method\"?, \"operation\"?, \"lane\"?, \"payload\"?}",
            "",
            "Example: ./semel outbox add --store rocksdb:queue --endpoint /v1/feed/posts \\",
            "             --data '{\"text\":\"hello\"}'"
        })
final class OutboxAddCommand implements Runnable {

    @Mixin
    private OutboxOptions options = new OutboxOptions();

    @Option(
            names = "--endpoint",
            paramLabel = "PATH",
            description = "Where the request is sent: a path such as /v1/feed/posts, or a URL.")
    private @Nullable String endpoint;

    @Option(
            names = "--method",
            paramLabel = "METHOD",
            completionCandidates = Methods.class,
            description = "The HTTP method: ${COMPLETION-CANDIDATES}. Default: POST.")
    private @Nullable String method;

    @Option(
            names = "--operation",
            paramLabel = "TEXT",
            description = "Your name for what the request does, such as create_post.")
    private @Nullable String operation;

    @Option(
            names = "--lane",
            paramLabel = "TEXT",
            description =
                    "Entries of a lane are sent in order, one at a time. Default: " + OutboxRequest.DEFAULT_LANE + ".")
    private @Nullable String lane;

    @Option(
            names = "--data",
            paramLabel = "JSON",
            description = "The payload: a JSON text, @FILE to read a file, or - to read standard input.")
    private @Nullable String data;

    @Option(
            names = "--ndjson",
            paramLabel = "FILE",
            description = "Adds a request for each line of a file. - reads standard input.")
    private @Nullable String ndjson;

    @Spec
    private CommandSpec spec;

    private final Terminal terminal;

    OutboxAddCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** The choices of --method. */
    static final class Methods implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return List.of("POST", "PUT", "PATCH", "DELETE").iterator();
        }
    }

    @Override
    public void run() {
        String file = ndjson;
        if (file == null) {
            OutboxRequest request = request();
            try (OutboxOptions.Opened opened = options.openOrCreate()) {
                terminal.println(opened.outbox().add(request).id());
            }
            return;
        }
        rejectOptionsOfOneRequest();
        if (file.equals("-")) {
            addAll(terminal.in(), "standard input");
            return;
        }
        try (InputStream in = open(file)) {
            addAll(in, Suggestions.quote(file));
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private void addAll(InputStream in, String name) {
        StatusLine progress = StatusLine.onTerminal(spec);
        try (OutboxOptions.Opened opened = options.openOrCreate()) {
            new RequestImport(opened, terminal, progress).addAll(new Lines(in, name, RequestImport.LONGEST_LINE));
        } finally {
            progress.clear();
        }
    }

    private void rejectOptionsOfOneRequest() {
        for (String option : List.of("--endpoint", "--method", "--operation", "--lane", "--data")) {
            if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
                throw new UsageException(spec, option + " cannot be given with --ndjson, whose lines hold it.");
            }
        }
    }

    private OutboxRequest request() {
        String path = endpoint;
        if (path == null) {
            throw new UsageException(spec, "--endpoint is missing: a path such as /v1/feed/posts, or a URL.");
        }
        OutboxRequest withoutPayload;
        try {
            withoutPayload = RequestLines.request(method, path, operation, lane, null);
        } catch (IllegalArgumentException e) {
            throw new UsageException(spec, e.getMessage() + ".");
        }
        return data == null ? withoutPayload : withPayload(withoutPayload, data);
    }

    private OutboxRequest withPayload(OutboxRequest request, String payload) {
        boolean isStandardInput = payload.equals("-");
        boolean isFile = payload.startsWith("@");
        if (!isStandardInput && !isFile) {
            try {
                return request.json(payload);
            } catch (MalformedJsonException e) {
                throw new UsageException(spec, "--data must be JSON: " + e.getMessage() + ".");
            } catch (IllegalArgumentException e) {
                throw new UsageException(spec, e.getMessage() + ".");
            }
        }
        String name = isFile ? Suggestions.quote(payload.substring(1)) : "standard input";
        byte[] bytes = isFile ? read(payload.substring(1)) : readStandardInput();
        if (bytes.length > Payload.MOST_BYTES) {
            throw new FailureException("The payload in " + name + " has more than " + Payload.MOST_BYTES + " bytes");
        }
        try {
            return request.json(new String(Json.of(bytes).bytes(), UTF_8));
        } catch (MalformedJsonException e) {
            throw new FailureException("The payload in " + name + " must be JSON: " + e.getMessage(), e);
        }
    }

    private byte[] readStandardInput() {
        try {
            return terminal.in().readNBytes(Payload.MOST_BYTES + 1);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read standard input: " + e.getMessage(), e);
        }
    }

    private byte[] read(String file) {
        try (InputStream in = open(file)) {
            return in.readNBytes(Payload.MOST_BYTES + 1);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private InputStream open(String file) throws IOException {
        try {
            return Files.newInputStream(Path.of(file));
        } catch (InvalidPathException e) {
            throw new FailureException(Suggestions.quote(file) + " is not the name of a file", e);
        }
    }

    private static UncheckedIOException unreadable(String file, IOException e) {
        return new UncheckedIOException("Cannot read " + Suggestions.quote(file) + ": " + FailureText.reason(e), e);
    }
}
