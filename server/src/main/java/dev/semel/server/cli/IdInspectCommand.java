package dev.semel.server.cli;

import dev.semel.id.IdFormat;
import dev.semel.id.IdScheme;
import dev.semel.id.IdScheme.ParsedId;
import dev.semel.id.IdSchemes;
import dev.semel.id.MalformedException;
import dev.semel.id.TextFormat;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.core.JsonGenerator;

@Command(
        name = "inspect",
        description = {
            "Shows which schemes a text is a valid id of, and the content of the id.",
            "The exit status is 1 if no scheme fits."
        },
        footer = {"", "Example: ./semel id inspect 04XhXYx9xCjfPYf32"})
final class IdInspectCommand implements Callable<Integer> {

    private static final String LENGTHS = IdSchemes.all().stream()
            .sorted(Comparator.comparingInt(IdScheme::maxLength))
            .map(scheme -> IdListCommand.length(scheme) + " for " + scheme.name())
            .collect(Collectors.joining(", "));

    @Parameters(
            arity = "1..*",
            paramLabel = "ID",
            description = "One or more ids, or - for ids from standard input, one per line.")
    private List<String> ids = new ArrayList<>();

    @Option(names = "--json", description = "Prints one JSON object per line.")
    private boolean json;

    private CommandSpec spec = CommandSpec.create();

    private final Terminal terminal;

    IdInspectCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Spec
    void spec(CommandSpec spec) {
        this.spec = spec;
        Semel.allowHyphens(spec);
    }

    /** An id found in a text, and the prefix before it, which may be empty. */
    private record Reading(String prefix, ParsedId id) {}

    @Override
    public Integer call() {
        boolean all = true;
        for (String id : ids) {
            if (id.equals("-")) {
                all &= inspectLines(new Lines(terminal.in()));
            } else if (id.startsWith("--") && readings(id).isEmpty()) {
                throw new UsageException(spec, UsageErrors.unknownOption(spec, id));
            } else {
                all &= inspect(id);
            }
        }
        return all ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private boolean inspectLines(Lines lines) {
        boolean all = true;
        for (String line = lines.next(); line != null; line = lines.next()) {
            all &= inspect(line);
            if (!lines.isReady()) {
                terminal.flush(); // the next line may depend on this result
            }
        }
        return all;
    }

    private boolean inspect(String text) {
        List<Reading> readings = readings(text);
        if (json) {
            printJson(text, readings);
        } else if (!readings.isEmpty()) {
            print(text, readings);
        }
        if (readings.isEmpty()) {
            complain(text);
        }
        return !readings.isEmpty();
    }

    /** Returns the ids that the text is, as a whole or after a prefix. */
    private static List<Reading> readings(String text) {
        List<Reading> readings = new ArrayList<>();
        for (IdScheme scheme : IdSchemes.all()) {
            if (scheme.isValid(text)) {
                readings.add(new Reading("", scheme.parse(text)));
            }
        }
        String body = bodyOf(text);
        if (body != null) {
            String prefix = text.substring(0, text.length() - body.length() - 1);
            for (IdScheme scheme : IdSchemes.all()) {
                if (scheme.isValid(body)) {
                    readings.add(new Reading(prefix, scheme.parse(body)));
                }
            }
        }
        return readings;
    }

    /** Returns the text after the prefix; null if it has no prefix. */
    private static @Nullable String bodyOf(String text) {
        int hyphen = text.indexOf('-');
        boolean prefixed =
                hyphen > 0 && hyphen <= IdScheme.LONGEST_PREFIX && TextFormat.WORD.isValid(text.substring(0, hyphen));
        return prefixed ? text.substring(hyphen + 1) : null;
    }

    private void printJson(String text, List<Reading> readings) {
        terminal.printJson(object -> {
            object.writeStringProperty("id", text);
            object.writeArrayPropertyStart("schemes");
            readings.forEach(reading -> write(object, reading));
            object.writeEndArray();
        });
    }

    private static void write(JsonGenerator object, Reading reading) {
        object.writeStartObject();
        object.writeStringProperty("scheme", reading.id.scheme().name());
        if (!reading.prefix.isEmpty()) {
            object.writeStringProperty("prefix", reading.prefix);
        }
        reading.id.time().ifPresent(time -> object.writeStringProperty("time", time.toString()));
        reading.id.version().ifPresent(version -> object.writeNumberProperty("version", version));
        reading.id.uuid().ifPresent(uuid -> object.writeStringProperty("uuid", uuid.toString()));
        reading.id.number().ifPresent(number -> object.writeNumberProperty("number", number));
        reading.id.random().ifPresent(random -> object.writeStringProperty("random", random));
        object.writeEndObject();
    }

    private void print(String text, List<Reading> readings) {
        terminal.println(text);
        Table table = new Table();
        for (Reading reading : readings) {
            List<String> holdings = new ArrayList<>();
            reading.id.time().ifPresent(time -> holdings.add("time " + time));
            reading.id.version().ifPresent(version -> holdings.add("version " + version));
            reading.id.number().ifPresent(number -> holdings.add("number " + number));
            reading.id.random().ifPresent(random -> holdings.add("random " + random));
            String prefix = reading.prefix.isEmpty() ? "" : "after " + reading.prefix + "-: ";
            table.add(reading.id.scheme().name(), prefix + String.join(", ", holdings));
        }
        table.print(terminal, "  ");
    }

    /** Reports the fault that the scheme of fitting length finds last in the text; if no length fits, the lengths of all schemes. */
    private void complain(String text) {
        String body = bodyOf(text);
        MalformedException nearest = null;
        int amiss = Integer.MAX_VALUE;
        for (String candidate : body == null ? List.of(text) : List.of(body, text)) {
            for (IdScheme scheme : IdSchemes.all()) {
                IdFormat.Fault fault = scheme.fault(candidate);
                boolean fits = candidate.length() >= scheme.minLength() && candidate.length() <= scheme.maxLength();
                if (fault != null && fits && candidate.length() - fault.at() < amiss) {
                    amiss = candidate.length() - fault.at();
                    nearest = new MalformedException("id", candidate, fault, scheme.name() + ": " + scheme.expected());
                }
            }
        }
        if (nearest == null) {
            nearest = new MalformedException("id", text, IdFormat.Fault.ofLength(text), LENGTHS);
        }
        terminal.flush();
        spec.commandLine().getErr().println(spec.qualifiedName() + ": " + nearest.getMessage());
    }
}
