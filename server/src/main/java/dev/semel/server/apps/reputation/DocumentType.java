package dev.semel.server.apps.reputation;

import dev.semel.document.DocumentCollection;
import dev.semel.key.KeyTemplate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A type of documents.
 *
 * @param name the name in paths
 * @param minted the part of the key that identifies a new document, and is minted if it is missing; empty if all parts are required
 */
public record DocumentType(String name, DocumentCollection documents, String minted) {

    /** All types, in the order of their names. */
    public static final List<DocumentType> ALL = List.of(
            new DocumentType(
                    "reputations",
                    DocumentCollection.of(
                            "documents/reputations", DocumentKeys.REPUTATION, DocumentKeys.REPUTATION_BY_TAG),
                    ""),
            new DocumentType(
                    "tags", DocumentCollection.of("documents/tags", DocumentKeys.TAG, DocumentKeys.TAG_BY_ID), "tag"),
            new DocumentType("users", DocumentCollection.of("documents/users", DocumentKeys.USER), "user"),
            new DocumentType(
                    "votes",
                    DocumentCollection.of("documents/votes", DocumentKeys.VOTE, DocumentKeys.VOTE_BY_TARGET),
                    "key"));

    private static final Map<String, DocumentType> BY_NAME =
            ALL.stream().collect(Collectors.toUnmodifiableMap(DocumentType::name, Function.identity()));

    /** Returns the type with a given name; empty if there is none. */
    public static Optional<DocumentType> named(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }

    /** Returns the template of the keys. */
    public KeyTemplate key() {
        return documents.key();
    }

    @Override
    public String toString() {
        return name;
    }
}
