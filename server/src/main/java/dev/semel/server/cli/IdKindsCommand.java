package dev.semel.server.cli;

import dev.semel.id.IdRegistry.IdKind;
import dev.semel.server.Apps;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "kinds", description = "Lists the kinds of ids in the systems of the server.")
final class IdKindsCommand implements Runnable {

    @Option(names = "--json", description = "Prints one JSON object per line.")
    private boolean json;

    private final Terminal terminal;

    IdKindsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void run() {
        if (json) {
            Apps.idKinds().forEach(this::printJson);
            return;
        }
        Table table = new Table();
        table.add("KIND", "SCHEME", "MINTED BY", "LIFETIME", "WHAT IT IDENTIFIES");
        for (IdKind kind : Apps.idKinds()) {
            table.add(kind.name(), kind.scheme(), kind.mintedBy(), kind.lifetime(), kind.purpose());
        }
        table.print(terminal, "");
    }

    private void printJson(IdKind kind) {
        terminal.printJson(object -> {
            object.writeStringProperty("kind", kind.name());
            object.writeStringProperty("scheme", kind.scheme());
            object.writeStringProperty("mintedBy", kind.mintedBy());
            object.writeStringProperty("lifetime", kind.lifetime());
            object.writeStringProperty("purpose", kind.purpose());
        });
    }
}
