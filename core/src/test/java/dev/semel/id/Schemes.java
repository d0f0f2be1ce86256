package dev.semel.id;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** All registered schemes, configured to mint ids. The contract tests run on each. */
final class Schemes {

    private Schemes() {}

    static List<IdScheme> all() {
        return Stream.concat(
                        IdSchemes.all().stream(),
                        IdSchemes.all().stream().map(Schemes::minting).map(scheme -> scheme.prefixed("user_1")))
                .map(Schemes::minting)
                .toList();
    }

    static IdScheme minting(IdScheme scheme) {
        return scheme.drawingFrom(new AtomicLong(1)::getAndIncrement);
    }
}
