package dev.semel.server.apps.tables;

import dev.semel.document.DocumentCollection;
import dev.semel.document.DocumentCollection.WriteResult;
import dev.semel.document.Transaction;
import dev.semel.http.Problem;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.ProblemException;
import dev.semel.store.Document;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Binds each id to the kind as which it is first used, in the commit that uses it. Afterwards it is rejected as any other kind.
 *
 * <p>The binding of an id that this server has minted outlives its table or hand. An id that was minted here and has no document belongs to
 * something that has ended. So ending a table deletes its document, and its binding is the tombstone.
 *
 * <p>Names of users are not bound: otherwise a settlement that uses the name of a user as the id of a table would lock the user out.
 */
final class IdBindings {

    private static final DocumentCollection BINDINGS = DocumentCollection.of("tables/ids", KeyTemplate.of("{id:text}"));

    private static final String KIND = "kind";
    private static final String MINTED = "minted";

    private IdBindings() {}

    /** Mints an id that is bound indefinitely. */
    static String mint(Transaction tx, String kind) {
        return mint(tx, kind, null);
    }

    /** Mints an id that is bound for some time. */
    static String mint(Transaction tx, String kind, @Nullable Duration ttl) {
        ObjectNode binding = binding(kind).put(MINTED, true);
        return BINDINGS.createMinted(tx, TableIds.REGISTRY.kind(kind)::mint, JsonText.json(binding), ttl)
                .key();
    }

    /**
     * Binds an id that has no document here, unless it is bound.
     *
     * @param field the name of the id in its request
     * @throws ProblemException if the id is bound to another kind, or belongs to something that has ended
     */
    static void bind(Transaction tx, String kind, String field, String id) {
        Optional<Document> found = BINDINGS.read(tx, key(id));
        if (found.isEmpty()) {
            BINDINGS.create(tx, key(id), JsonText.json(binding(kind)));
        } else {
            rejectIfEnded(kind, requireKind(found.get(), kind, field));
        }
    }

    /**
     * Binds an id for some time. Assumes that the id is new, and reads its binding only if it is not.
     *
     * @throws ProblemException if the id is bound to another kind
     */
    static void bindFor(Duration ttl, Transaction tx, String kind, String field, String id) {
        Json binding = JsonText.json(binding(kind));
        if (BINDINGS.create(tx, key(id), binding, ttl) instanceof WriteResult.Taken taken) {
            Document bound = taken.current();
            requireKind(bound, kind, field);
            Instant expiresAt = bound.expiresAt();
            if (expiresAt != null && expiresAt.isBefore(tx.now().plus(ttl))) {
                BINDINGS.update(tx, bound.key(), bound.version(), binding, ttl);
            }
        }
    }

    /**
     * Checks an id without binding it.
     *
     * @throws ProblemException if the id is bound to another kind
     */
    static void check(Document.Reader reader, String kind, String field, String id) {
        BINDINGS.read(reader, key(id)).ifPresent(bound -> requireKind(bound, kind, field));
    }

    /**
     * Returns why an id has no document here: it is bound to another kind, it belongs to something that has ended, or it is unknown.
     *
     * @param field the name of the id in its request
     */
    static ProblemException missing(Document.Reader reader, String kind, String field, String id) {
        Optional<Document> found = BINDINGS.read(reader, key(id));
        if (found.isPresent()) {
            rejectIfEnded(kind, requireKind(found.get(), kind, field));
        }
        return ProblemException.notFound(noun(kind));
    }

    /**
     * Returns that an id has no document here, unless it is bound to another kind.
     *
     * @param field the name of the id in its request
     * @throws ProblemException if the id is bound to another kind
     */
    static ProblemException unknown(Document.Reader reader, String kind, String field, String id) {
        check(reader, kind, field, id);
        return ProblemException.notFound(noun(kind));
    }

    private static JsonNode requireKind(Document bound, String kind, String field) {
        JsonNode binding = JsonText.tree(bound.data());
        String actual = binding.get(KIND).stringValue();
        if (!actual.equals(kind)) {
            throw new ProblemException(Problem.of(409, "wrong_kind", "wrong_kind")
                    .detailed(field + " is bound to the kind " + actual + " and cannot be used as " + kind)
                    .with("field", field));
        }
        return binding;
    }

    private static void rejectIfEnded(String kind, JsonNode binding) {
        if (binding.hasNonNull(MINTED)) {
            throw ProblemException.named(410, "ended", "The " + noun(kind) + " has ended");
        }
    }

    private static String noun(String kind) {
        return kind.substring(0, kind.length() - "Id".length());
    }

    private static ObjectNode binding(String kind) {
        return JsonText.object().put(KIND, kind);
    }

    /** Returns the key of a binding. A tournament cannot have the id of a session by writing it with its prefix. */
    private static String key(String id) {
        return TableIds.withoutSessionPrefix(id);
    }
}
