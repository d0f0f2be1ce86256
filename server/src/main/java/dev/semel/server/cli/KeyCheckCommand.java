package dev.semel.server.cli;

import dev.semel.id.IdFormat;
import dev.semel.id.MalformedException;
import dev.semel.key.KeyTemplate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.core.JsonGenerator;

@Command(
        name = "check",
        description =
                "Checks whether every key of a template can be split into its parts, and lists the prefixes that can be scanned.",
        footer = {"", "Example: ./semel key check 'usr_{user:uuid4s}_tag_{tag:uuid4s}'"})
final class KeyCheckCommand implements Runnable {

    @Parameters(
            paramLabel = "TEMPLATE",
            description = "A text with parts {name:type}. {name} without a type is any id.")
    private String template;

    @Option(names = "--json", description = "Prints a JSON object.")
    private boolean json;

    @Spec
    void spec(CommandSpec spec) {
        Semel.allowHyphens(spec);
    }

    private final Terminal terminal;

    KeyCheckCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void run() {
        KeyTemplate declared;
        try {
            declared = KeyTemplate.of(template);
        } catch (MalformedException e) {
            if (json) {
                terminal.printJson(object -> {
                    object.writeStringProperty("template", template);
                    object.writeBooleanProperty("splittable", false);
                    object.writeStringProperty("problem", e.problem());
                    object.writeNumberProperty("at", e.at());
                    object.writeStringProperty("expected", e.expected());
                });
            }
            throw e;
        }
        if (json) {
            terminal.printJson(object -> write(object, declared));
        } else {
            print(declared);
        }
    }

    private static void write(JsonGenerator object, KeyTemplate declared) {
        object.writeStringProperty("template", declared.name());
        object.writeBooleanProperty("splittable", true);
        object.writeNumberProperty("minLength", declared.minLength());
        object.writeNumberProperty("maxLength", declared.maxLength());
        object.writeArrayPropertyStart("parts");
        for (KeyTemplate.Part part : declared.parts()) {
            object.writeStartObject();
            object.writeStringProperty("name", part.name());
            object.writeStringProperty("type", part.format().name());
            object.writeStringProperty("expected", part.format().expected());
            object.writeEndObject();
        }
        object.writeEndArray();
        object.writeArrayPropertyStart("prefixes");
        declared.prefixes().forEach(object::writeString);
        object.writeEndArray();
    }

    private void print(KeyTemplate declared) {
        terminal.println("Every key can be split into its parts. It has " + length(declared) + " characters.");
        terminal.println("");
        Table parts = new Table();
        parts.add("PART", "TYPE", "EXPECTED");
        for (KeyTemplate.Part part : declared.parts()) {
            parts.add(part.name(), part.format().name(), part.format().expected());
        }
        parts.print(terminal, "");
        terminal.println("");
        terminal.println("Prefixes that can be scanned:");
        for (String prefix : declared.prefixes()) {
            terminal.println("  " + (prefix.isEmpty() ? "(all keys)" : prefix));
        }
    }

    private static String length(IdFormat format) {
        return format.isFixedWidth() ? "" + format.maxLength() : format.minLength() + " to " + format.maxLength();
    }
}
