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
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.core.JsonGenerator;

@Command(
        name = "inspect",
        description = "Says which schemes a text is an id of, and what it holds. Exits with 1 if it is an id of none.",
        footer = {"", "Example: ./semel id inspect 04XhXYx9xCjfPYf32"})
final class IdInspectCommand implements Callable<Integer> {

    private static final String LENGTHS = IdSchemes.all().stream()
            .sorted(Comparator.comparingInt(IdScheme::maxLength))
            .map(scheme -> IdListCommand.length(scheme) + " for " + scheme.name())
            .collect(Collectors.joining(", "));

    @Parameters(paramLabel = "ID", description = "The texts to look at; - reads them from standard input, one a line.")
    private List<String> ids = new ArrayList<>();

    @Option(names = "--json", description = "Prints an object a line.")
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

    /** A reading of a text: as it is, or with a prefix before an id. */
    private record Reading(String prefix, ParsedId id) {}

    @Override
    public Integer call() {
        if (ids.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "name at least one id, or - for standard input");
        }
        boolean all = true;
        for (String id : ids) {
            if (id.equals("-")) {
                all &= inspectLines(new Lines(terminal.in()));
            } else if (id.startsWith("--") && readings(id).isEmpty()) {
                throw new ParameterException(spec.commandLine(), "there is no option " + MalformedException.quote(id));
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
                terminal.flush(); // whoever types or sends the lines one by one sees each answer at once
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

    /** The text whole, and, where it has one, behind its prefix. */
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

    /** What stands behind a prefix, or null where there is none. */
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
            String prefix = reading.prefix.isEmpty() ? "" : "behind " + reading.prefix + "-: ";
            table.add(reading.id.scheme().name(), prefix + String.join(", ", holdings));
        }
        table.print(terminal, "  ");
    }

    /** Says what is wrong by the scheme whose length fits and that finds the least amiss; or which lengths would fit. */
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
