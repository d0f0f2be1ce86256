package dev.semel.document;

import dev.semel.document.DocumentCollection.WriteResult;
import dev.semel.id.DayNonceScheme;
import dev.semel.id.IdSchemes;
import dev.semel.json.Json;
import dev.semel.store.Document;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Gives documents short ids, {@code 260107-bc}: so few that many are taken, so each is tried until one is free. The trying is a
 * ladder: some tries with two letters, then some with three, and with more if that is asked for. Nothing is ever overwritten,
 * since a document is created only where there is none.
 */
public final class ShortIdAllocator {

    /** Ten tries with two letters, then ten with three. */
    public static final List<Rung> LADDER = ladder(3);

    private final DocumentCollection documents;
    private final Function<String, String> keys;
    private final DayNonceScheme scheme;
    private final List<Rung> ladder;

    /**
     * Some tries.
     *
     * @param letters how many letters the ids have, 2 to 6
     * @param tries how many ids are tried
     */
    public record Rung(int letters, int tries) {

        /** @throws IllegalArgumentException if there are no such ids, or no tries */
        public Rung {
            if (letters < 2 || letters > 6 || tries < 1) {
                throw new IllegalArgumentException("Not a rung: " + tries + " tries with " + letters + " letters");
            }
        }
    }

    /** Ten tries with two letters, ten with three, and so on. */
    public static List<Rung> ladder(int letters) {
        return IntStream.rangeClosed(2, letters)
                .mapToObj(length -> new Rung(length, 10))
                .toList();
    }

    /**
     * @param documents where they go
     * @param keys what key a document with a given id has: {@code id -> "post:" + id}
     * @param scheme makes the candidates; {@link DayNonceScheme#upTo} if the ladder goes beyond three letters
     */
    public ShortIdAllocator(
            DocumentCollection documents, Function<String, String> keys, DayNonceScheme scheme, List<Rung> ladder) {
        this.documents = documents;
        this.keys = keys;
        this.scheme = scheme;
        this.ladder = List.copyOf(ladder);
    }

    /** With the usual ladder. */
    public ShortIdAllocator(DocumentCollection documents, Function<String, String> keys) {
        this(documents, keys, IdSchemes.DAY_NONCE, LADDER);
    }

    /**
     * Creates a document under a free id.
     *
     * @param requestedAt when the request came: its UTC day is that of all ids that are tried, however long it takes
     * @param data makes the document from its id and a secret token that no other document has
     * @return the document; nothing if all ids that were tried are taken
     */
    public Optional<Document> allocate(Transaction tx, Instant requestedAt, BiFunction<String, String, Json> data) {
        String day = DayNonceScheme.formatDayUTC(requestedAt);
        for (Rung rung : ladder) {
            for (int i = 0; i < rung.tries(); i++) {
                String id = day + "-" + scheme.randomNonce(rung.letters());
                String key = keys.apply(id);
                if (documents.read(tx, key).isEmpty()
                        && documents.create(tx, key, data.apply(id, IdSchemes.UUID4.mint()))
                                instanceof WriteResult.Written written) {
                    return Optional.of(written.document());
                }
            }
        }
        return Optional.empty();
    }
}
