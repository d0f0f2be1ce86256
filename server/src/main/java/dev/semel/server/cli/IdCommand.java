package dev.semel.server.cli;

import dev.semel.id.IdScheme;
import dev.semel.id.IdSchemes;
import dev.semel.id.MalformedException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "id",
        description = "Mints ids, one a line.",
        subcommands = {IdListCommand.class, IdInspectCommand.class},
        customSynopsis = {
            "semel id SCHEME [-n N] [--prefix P] [--from N] [--json]",
            "       semel id list [--json]",
            "       semel id inspect [--json] ID…"
        },
        footer = {"", "Example: ./semel id tid62 -n 3 --prefix user"})
final class IdCommand implements Runnable {

    @Parameters(
            arity = "0..1",
            paramLabel = "SCHEME",
            completionCandidates = SchemeNames.class,
            description = "One of ${COMPLETION-CANDIDATES}.")
    private @Nullable String scheme;

    @Option(names = "-n", paramLabel = "N", defaultValue = "1", description = "How many; 1 by default.")
    private long count;

    @Option(
            names = "--prefix",
            paramLabel = "P",
            description = "Puts P and a '-' before each: letters, digits and '_'.")
    private @Nullable String prefix;

    @Option(
            names = "--from",
            paramLabel = "N",
            description = "Where seq10 and seq36 start to count; 1 by default. The command line remembers nothing.")
    private @Nullable Long from;

    @Option(names = "--json", description = "Prints an object a line.")
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
            throw wrongUse("-n takes a number from 1 on, not " + count);
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
            throw wrongUse("name a scheme: one of " + String.join(", ", new SchemeNames()));
        }
        IdScheme named = IdSchemes.named(name)
                .orElseThrow(() -> wrongUse("there is no scheme " + MalformedException.quote(name) + "; there are "
                        + String.join(", ", new SchemeNames())));
        if (named.isCounted()) {
            long first = from == null ? 1 : from;
            if (first < 0) {
                throw wrongUse("--from takes a number from 0 on, not " + first);
            }
            named = named.drawingFrom(new AtomicLong(first)::getAndIncrement);
        } else if (from != null) {
            throw wrongUse("--from is for seq10 and seq36; " + name + " does not count");
        }
        try {
            return prefix == null ? named : named.prefixed(prefix);
        } catch (MalformedException e) {
            throw wrongUse(e.getMessage());
        }
    }

    private ParameterException wrongUse(@Nullable String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
