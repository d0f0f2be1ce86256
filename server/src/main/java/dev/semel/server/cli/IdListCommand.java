package dev.semel.server.cli;

import dev.semel.id.IdScheme;
import dev.semel.id.IdSchemes;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "list", description = "Lists the id schemes with length, example and properties.")
final class IdListCommand implements Runnable {

    @Option(names = "--json", description = "Prints one JSON object per line.")
    private boolean json;

    private final Terminal terminal;

    IdListCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void run() {
        if (json) {
            IdSchemes.all().forEach(this::printJson);
            return;
        }
        Table table = new Table();
        table.add("SCHEME", "LENGTH", "EXAMPLE", "SORTS", "RANDOM BITS", "LIFETIME", "WHAT IT IS");
        for (IdScheme scheme : IdSchemes.all()) {
            table.add(
                    scheme.name(),
                    length(scheme),
                    example(scheme),
                    scheme.isSortable() ? "yes" : "no",
                    Integer.toString(scheme.randomBits()),
                    scheme.lifetime().toString(),
                    scheme.summary());
        }
        table.print(terminal, "");
    }

    private void printJson(IdScheme scheme) {
        terminal.printJson(object -> {
            object.writeStringProperty("scheme", scheme.name());
            object.writeNumberProperty("length", scheme.maxLength());
            object.writeNumberProperty("minLength", scheme.minLength());
            object.writeStringProperty("example", example(scheme));
            object.writeStringProperty("alphabet", scheme.alphabet());
            object.writeBooleanProperty("sortable", scheme.isSortable());
            object.writeNumberProperty("randomBits", scheme.randomBits());
            object.writeStringProperty("lifetime", scheme.lifetime().toString());
            object.writeStringProperty("summary", scheme.summary());
        });
    }

    static String length(IdScheme scheme) {
        return scheme.isFixedWidth() ? "" + scheme.maxLength() : scheme.minLength() + "-" + scheme.maxLength();
    }

    private static String example(IdScheme scheme) {
        return scheme.drawingFrom(new AtomicLong(1)::getAndIncrement).mint();
    }
}
