package dev.semel.server.apps.collections;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.document.StoredSequence;
import dev.semel.document.Transaction;
import dev.semel.id.IdScheme;
import dev.semel.id.IdSchemes;
import dev.semel.json.Fingerprint;
import dev.semel.server.web.ProblemException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The id schemes that users may choose. Schemes that count use a stored sequence per user, so ids do not reveal the activity of other
 * users.
 */
final class IdSource {

    /** All schemes except short ids, which must be allocated. */
    private static final List<IdScheme> SCHEMES = IdSchemes.all().stream()
            .filter(scheme -> scheme != IdSchemes.DAY_NONCE)
            .toList();

    private IdSource() {}

    /**
     * Returns the scheme with the given name.
     *
     * @throws ProblemException if there is none
     */
    static IdScheme scheme(String name) {
        return SCHEMES.stream()
                .filter(scheme -> scheme.name().equals(name))
                .findFirst()
                .orElseThrow(() -> ProblemException.invalid(
                        "scheme",
                        "must be one of " + SCHEMES.stream().map(IdScheme::name).collect(Collectors.joining(", "))));
    }

    /**
     * Returns a scheme that can mint ids.
     *
     * @param purpose the name of the sequence, if the scheme counts; each user has a separate sequence for each purpose
     */
    static IdScheme minting(IdScheme scheme, Transaction tx, String user, String purpose) {
        return scheme.isCounted()
                ? scheme.drawingFrom(sequence(user, scheme.name(), purpose).in(tx))
                : scheme;
    }

    /** Uses a hash as the name of the sequence, because the name of the user and the collection together may be too long. */
    private static StoredSequence sequence(String user, String scheme, String purpose) {
        String name = String.join("/", user, scheme, purpose);
        return StoredSequence.named(Fingerprint.ofBytes(name.getBytes(UTF_8)).hex());
    }
}
