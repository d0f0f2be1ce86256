package dev.semel.server.cli;

import dev.semel.key.KeyTemplate;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "parse",
        description = "Splits a key into its parts.",
        footer = {"", "Example: ./semel key parse '{prefix:word}-{id:tid62}' user-04XhXYx9xCjfPYf32"})
final class KeyParseCommand implements Runnable {

    @Parameters(
            index = "0",
            paramLabel = "TEMPLATE",
            description = "A text with parts {name:type}. {name} without a type is any id.")
    private String template;

    @Parameters(index = "1", paramLabel = "KEY", description = "The key.")
    private String key;

    @Option(names = "--json", description = "Prints a JSON object.")
    private boolean json;

    @Spec
    void spec(CommandSpec spec) {
        Semel.allowHyphens(spec);
    }

    private final Terminal terminal;

    KeyParseCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void run() {
        Map<String, String> parts = KeyTemplate.of(template).parse(key);
        if (json) {
            terminal.printJson(object -> {
                object.writeStringProperty("key", key);
                object.writeObjectPropertyStart("parts");
                parts.forEach(object::writeStringProperty);
                object.writeEndObject();
            });
        } else {
            Table table = new Table();
            parts.forEach(table::add);
            table.print(terminal, "");
        }
    }
}
