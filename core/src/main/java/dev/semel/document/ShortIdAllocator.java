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
 * Allocates short ids such as {@code 260107-bc}. There are so few of them that many are in use, so the allocator tries random ids until
 * one is free. It starts with ids of two letters and continues with longer ones, as its ladder says. It never overwrites a document, since
 * each try is a create-if-absent.
 */
public final class ShortIdAllocator {

    /** Ten tries with two letters, then ten with three. */
    public static final List<Rung> LADDER = ladder(3);

    private final DocumentCollection documents;
    private final Function<String, String> keys;
    private final DayNonceScheme scheme;
    private final List<Rung> ladder;

    /**
     * A step of the ladder: a number of tries with ids of one length.
     *
     * @param letters the number of letters of an id, 2 to 6
     * @param tries how many ids to try
     */
    public record Rung(int letters, int tries) {

        /**
         * Checks the numbers.
         *
         * @throws IllegalArgumentException if a number is out of range
         */
        public Rung {
            if (letters < 2 || letters > 6 || tries < 1) {
                throw new IllegalArgumentException(
                        "A rung has at least 1 try of 2 to 6 letters, not " + tries + " of " + letters + " letters");
            }
        }
    }

    /**
     * Returns a ladder with ten tries of each length.
     *
     * @param letters the number of letters of the longest ids
     */
    public static List<Rung> ladder(int letters) {
        return IntStream.rangeClosed(2, letters)
                .mapToObj(length -> new Rung(length, 10))
                .toList();
    }

    /**
     * Makes an allocator.
     *
     * @param documents the collection of the documents
     * @param keys returns the key of the document with a given id, such as {@code id -> "post:" + id}
     * @param scheme makes the random letters; {@link DayNonceScheme#upTo} if the ladder has ids of more than three letters
     */
    public ShortIdAllocator(
            DocumentCollection documents, Function<String, String> keys, DayNonceScheme scheme, List<Rung> ladder) {
        this.documents = documents;
        this.keys = keys;
        this.scheme = scheme;
        this.ladder = List.copyOf(ladder);
    }

    /** Makes an allocator with the default {@link #LADDER}. */
    public ShortIdAllocator(DocumentCollection documents, Function<String, String> keys) {
        this(documents, keys, IdSchemes.DAY_NONCE, LADDER);
    }

    /**
     * Creates a document with a free id.
     *
     * @param requestedAt when the request arrived. All ids that are tried start with its UTC day, even if allocation runs past midnight
     * @param data returns the content, given the id and a secret token that is unique to this document
     * @return the document; empty if all ids that were tried are in use
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
