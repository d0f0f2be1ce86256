package dev.semel.server.cli;

import dev.semel.id.IdScheme;
import dev.semel.id.IdSchemes;
import dev.semel.id.MalformedException;
import dev.semel.server.settings.Suggestions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "id",
        description = "Generates ids, one per line.",
        subcommands = {IdListCommand.class, IdInspectCommand.class, IdKindsCommand.class, HelpCommand.class},
        customSynopsis = {
            "semel id SCHEME [-n N] [--prefix PREFIX] [--from N] [--json]",
            "       semel id list [--json]",
            "       semel id inspect [--json] ID…",
            "       semel id kinds [--json]"
        },
        footer = {"", "Example: ./semel id tid62 -n 3 --prefix user"})
final class IdCommand implements Runnable {

    @Parameters(
            arity = "0..1",
            paramLabel = "SCHEME",
            completionCandidates = SchemeNames.class,
            description = "The scheme: ${COMPLETION-CANDIDATES}.")
    private @Nullable String scheme;

    @Option(
            names = {"-n", "--count"},
            paramLabel = "N",
            defaultValue = "1",
            description = "How many ids. Default: ${DEFAULT-VALUE}.")
    private long count;

    @Option(
            names = "--prefix",
            paramLabel = "PREFIX",
            description = {
                "Puts this and a hyphen before each id: letters, digits and underscores.",
                "Before a typeid, this and an underscore: lower-case letters and underscores."
            })
    private @Nullable String prefix;

    @Option(
            names = "--from",
            paramLabel = "N",
            description = "The first number of seq10 and seq36. Default: 1, as the command stores nothing.")
    private @Nullable Long from;

    @Option(names = "--json", description = "Prints one JSON object per line.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    private final Terminal terminal;

    IdCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void run() {
        IdScheme minting = scheme();
        if (count < 1) {
            throw wrongUse("-n must be a whole number of 1 or more, not '" + count + "'.");
        }
        for (long i = 0; i < count; i++) {
            String id = minting.mint();
            if (json) {
                terminal.printJson(object -> object.writeStringProperty("id", id));
            } else {
                terminal.println(id);
            }
        }
    }

    private IdScheme scheme() {
        String name = scheme;
        if (name == null) {
            throw wrongUse("SCHEME is missing: one of " + String.join(", ", new SchemeNames()) + ".");
        }
        IdScheme named = IdSchemes.named(name).orElseThrow(() -> wrongUse(unknown(name)));
        if (named.isCounted()) {
            long first = from == null ? 1 : from;
            if (first < 0) {
                throw wrongUse("--from must be a whole number of 0 or more, not '" + first + "'.");
            }
            named = named.drawingFrom(new AtomicLong(first)::getAndIncrement);
        } else if (from != null) {
            throw wrongUse("--from cannot be used with " + name + ": only seq10 and seq36 have a first number.");
        }
        try {
            return prefix == null ? named : named.prefixed(prefix);
        } catch (MalformedException e) {
            throw wrongUse(
                    "--prefix must be " + e.expected() + ", not " + Suggestions.quote(String.valueOf(prefix)) + ".");
        }
    }

    /** A mistyped subcommand arrives here as the name of a scheme. */
    private String unknown(String name) {
        List<String> schemes = new ArrayList<>();
        new SchemeNames().forEach(schemes::add);
        List<String> all = new ArrayList<>(schemes);
        all.addAll(spec.subcommands().keySet());
        return Suggestions.unknown(
                "scheme", name, Suggestions.similar(name, all).isEmpty() ? schemes : all);
    }

    private UsageException wrongUse(String message) {
        return new UsageException(spec, message);
    }
}
