package dev.semel.server.cli;

import dev.semel.id.IdScheme;
import dev.semel.id.IdSchemes;
import java.util.Iterator;

/** The names of the id schemes, for help and shell completion. */
final class SchemeNames implements Iterable<String> {

    @Override
    public Iterator<String> iterator() {
        return IdSchemes.all().stream().map(IdScheme::name).iterator();
    }
}
