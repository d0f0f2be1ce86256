package dev.semel.server.apps.collections;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.semel.document.StoredSequence;
import dev.semel.document.Transaction;
import dev.semel.id.IdScheme;
import dev.semel.id.IdSchemes;
import dev.semel.json.Fingerprint;
import dev.semel.server.web.ProblemException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The schemes that make ids for users. Those that count do so for each user apart, in the store, so that nobody sees from their
 * ids what others do.
 */
final class IdSource {

    /** All that need no more than to be made; short ids have to be allocated. */
    private static final List<IdScheme> SCHEMES = IdSchemes.all().stream()
            .filter(scheme -> scheme != IdSchemes.DAY_NONCE)
            .toList();

    private IdSource() {}

    /** The scheme with a given name. */
    static IdScheme scheme(String name) {
        return SCHEMES.stream()
                .filter(scheme -> scheme.name().equals(name))
                .findFirst()
                .orElseThrow(() -> ProblemException.invalid(
                        "scheme",
                        "has to be one of "
                                + SCHEMES.stream().map(IdScheme::name).collect(Collectors.joining(", "))));
    }

    /**
     * The scheme, ready to make ids.
     *
     * @param purpose what is counted, if the scheme counts: each has a count of its own
     */
    static IdScheme minting(IdScheme scheme, Transaction tx, String user, String purpose) {
        return scheme.isCounted()
                ? scheme.drawingFrom(sequence(user, scheme.name(), purpose).in(tx))
                : scheme;
    }

    /** Named by a hash, since a name has room for a user's or for a collection's, but not for both. */
    private static StoredSequence sequence(String user, String scheme, String purpose) {
        String name = String.join("/", user, scheme, purpose);
        return StoredSequence.named(Fingerprint.ofBytes(name.getBytes(US_ASCII)).hex());
    }
}
