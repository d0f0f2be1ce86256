package dev.semel.server.cli;

import dev.semel.id.IdFormat;
import dev.semel.id.IdScheme;
import dev.semel.id.IdScheme.ParsedId;
import dev.semel.id.IdSchemes;
import dev.semel.id.MalformedException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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

    /** An id found in a text, and the prefix with its separator before it, which may be empty. */
    private record Reading(String head, ParsedId id) {}

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
        for (IdScheme scheme : IdSchemes.all()) {
            String head = head(scheme, text);
            String body = text.substring(head.length());
            if (!head.isEmpty() && scheme.isValid(body)) {
                readings.add(new Reading(head, scheme.parse(body)));
            }
        }
        return readings;
    }

    /** Returns the prefix of a text with its separator; empty if it has none. */
    private static String head(IdScheme scheme, String text) {
        return text.substring(
                0, scheme.prefixOf(text).map(prefix -> prefix.length() + 1).orElse(0));
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
        if (!reading.head.isEmpty()) {
            object.writeStringProperty("prefix", reading.head.substring(0, reading.head.length() - 1));
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
            String after = reading.head.isEmpty() ? "" : "after " + reading.head + ": ";
            table.add(reading.id.scheme().name(), after + String.join(", ", holdings));
        }
        table.print(terminal, "  ");
    }

    /** Why a text, or what follows its prefix, is no id of a scheme whose ids are as long. */
    private record Miss(IdScheme scheme, String text, IdFormat.Fault fault) {

        long foreignCharacters() {
            return text.chars().filter(c -> scheme.alphabet().indexOf(c) < 0).count();
        }

        int rest() {
            return text.length() - fault.at();
        }

        MalformedException error() {
            return new MalformedException("id", text, fault, scheme.name() + ": " + scheme.expected());
        }
    }

    private static Stream<Miss> misses(IdScheme scheme, String text) {
        IdFormat.Fault fault = scheme.fault(text);
        boolean fits = text.length() >= scheme.minLength() && text.length() <= scheme.maxLength();
        return fault != null && fits ? Stream.of(new Miss(scheme, text, fault)) : Stream.empty();
    }

    /**
     * Reports the fault of the scheme of fitting length that lacks the fewest of the characters; of several, the fault that is found last. If
     * no length fits, reports the lengths of all schemes.
     */
    private void complain(String text) {
        List<IdScheme> schemes = IdSchemes.all();
        MalformedException nearest = Stream.concat(
                        schemes.stream()
                                .flatMap(scheme -> misses(
                                        scheme,
                                        text.substring(head(scheme, text).length()))),
                        schemes.stream().flatMap(scheme -> misses(scheme, text)))
                .min(Comparator.comparingLong(Miss::foreignCharacters).thenComparingInt(Miss::rest))
                .map(Miss::error)
                .orElseGet(() -> new MalformedException("id", text, IdFormat.Fault.ofLength(text), LENGTHS));
        terminal.flush();
        spec.commandLine().getErr().println(spec.qualifiedName() + ": " + nearest.getMessage());
    }
}
