package dev.semel.server.cli;

import dev.semel.id.IdScheme;
import dev.semel.id.IdSchemes;
import java.util.Iterator;

/** What can be typed where a scheme is asked for; the shell completes it. */
final class SchemeNames implements Iterable<String> {

    @Override
    public Iterator<String> iterator() {
        return IdSchemes.all().stream().map(IdScheme::name).iterator();
    }
}
