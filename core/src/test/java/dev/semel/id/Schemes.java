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
                        IdSchemes.all().stream().map(Schemes::minting).map(scheme -> scheme.prefixed("user_x")))
                .map(Schemes::minting)
                .toList();
    }

    /** The schemes whose ids rise strictly within the process. */
    static Stream<IdScheme> rising() {
        return Stream.of(IdSchemes.UUID7, IdSchemes.ULID, IdSchemes.TYPEID, IdSchemes.TSID);
    }

    static IdScheme minting(IdScheme scheme) {
        return scheme.drawingFrom(new AtomicLong(1)::getAndIncrement);
    }
}
