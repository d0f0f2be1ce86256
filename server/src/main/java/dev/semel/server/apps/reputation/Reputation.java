package dev.semel.server.apps.reputation;

import dev.semel.document.DocumentCollection;
import dev.semel.document.DocumentCollection.WriteResult;
import dev.semel.document.Transactions.WriteConflictException;
import dev.semel.http.Problem;
import dev.semel.id.IdSchemes;
import dev.semel.id.MalformedException;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.Handler;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Pages;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.Document;
import dev.semel.store.spi.DocumentStore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Documents for users, tags, reputations and votes, which are found by their composite keys. */
public final class Reputation implements App {

    private static final String DOCUMENTS = "/v1/documents/{type}";
    private static final String DOCUMENT = DOCUMENTS + "/{key}";

    private static final Type VOTES =
            new Type(DocumentCollection.of("documents/votes", DocumentKeys.VOTE, DocumentKeys.VOTE_BY_TARGET), "key");

    private static final Map<String, Type> TYPES = Map.of(
            "users", new Type(DocumentCollection.of("documents/users", DocumentKeys.USER), "user"),
            "tags", new Type(DocumentCollection.of("documents/tags", DocumentKeys.TAG), "tag"),
            "reputations", new Type(DocumentCollection.of("documents/reputations", DocumentKeys.REPUTATION), ""),
            "votes", VOTES);

    /** The parts by which votes can be queried. */
    private static final List<String> QUERY_PARTS = List.of("user", "tag", "target");

    /** Longer than any valid part; the key template checks the part itself. */
    private static final int LONGEST_PART = 255;

    private final DocumentStore store;

    /**
     * A type of documents.
     *
     * @param minted the part of the key that is minted if it is missing; empty if all parts are required
     */
    private record Type(DocumentCollection documents, String minted) {}

    public Reputation(DocumentStore store) {
        this.store = store;
    }

    /** Returns the collections of documents, by the names of their types. */
    public static Map<String, DocumentCollection> collections() {
        return TYPES.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, type -> type.getValue().documents));
    }

    /** Returns the names of the parts of a type's keys, in the order of the keys. */
    public static List<String> parts(String type) {
        return known(type).documents.key().parts().stream()
                .map(KeyTemplate.Part::name)
                .toList();
    }

    /** Returns the part of a type's keys that identifies a new document; empty if other documents have all parts. */
    public static String mintedPart(String type) {
        return known(type).minted;
    }

    private static Type known(String type) {
        return Objects.requireNonNull(TYPES.get(type), type);
    }

    @Override
    public void declare(Routes routes) {
        routes.atomic("POST", DOCUMENTS, Reputation::create)
                .get("/v1/documents/votes", this::votes)
                .atomic("PUT", DOCUMENT, new Put())
                .get(DOCUMENT, this::read);
    }

    private static ApiResponse create(Request request) {
        Type type = type(request);
        JsonNode body = request.object();
        String key = key(type, body);
        WriteResult result = type.documents.create(request.tx(), key, data(request));
        if (result instanceof WriteResult.Taken taken) {
            throw new ProblemException(Problem.of(409, "key_taken", "key_taken")
                    .detailed("There is a document with this key already")
                    .with("version", taken.current().version()));
        }
        return ApiResponse.created(json(((WriteResult.Written) result).document()));
    }

    /** Returns the key of a new document from the parts in the request. */
    private static String key(Type type, JsonNode body) {
        Map<String, String> parts = new LinkedHashMap<>();
        for (KeyTemplate.Part part : type.documents.key().parts()) {
            String name = part.name();
            if (Request.isGiven(body, name)) {
                parts.put(name, Request.text(body, name, LONGEST_PART));
            } else if (name.equals(type.minted)) {
                parts.put(name, IdSchemes.UUID4S.mint());
            }
        }
        try {
            return type.documents.key().key(parts);
        } catch (MalformedException e) {
            throw ProblemException.malformed(e);
        }
    }

    /** Creates or updates a document. After a write conflict, reads it again and retries. */
    private static final class Put implements Handler {

        private static final ConflictPolicy CONFLICT_POLICY =
                new ConflictPolicy(DocumentCollection.UPSERT_BACKOFF, Put::conflict);

        @Override
        public ApiResponse handle(Request request) {
            Type type = type(request);
            String key = key(request, type);
            request.object();
            Json data = data(request);
            Optional<Document> current = type.documents.read(request.tx(), key);
            if (current.isEmpty()) {
                return ApiResponse.created(json(written(type.documents.create(request.tx(), key, data))));
            }
            long version = current.get().version();
            return ApiResponse.ok(json(written(type.documents.update(request.tx(), key, version, data))));
        }

        @Override
        public Optional<ConflictPolicy> conflictPolicy() {
            return Optional.of(CONFLICT_POLICY);
        }

        private static ProblemException conflict(WriteConflictException conflict) {
            return new ProblemException(Problem.of(409, "version_conflict", "version_conflict")
                    .detailed("Every retry conflicted with another write; nothing was written")
                    .with("version", conflict.version()));
        }
    }

    private static Document written(WriteResult result) {
        return ((WriteResult.Written) result).document();
    }

    private ApiResponse read(Request request) {
        Type type = type(request);
        return ApiResponse.ok(json(type.documents
                .read(store, key(request, type))
                .orElseThrow(() -> ProblemException.notFound("document"))));
    }

    private ApiResponse votes(Request request) {
        Map<String, String> parts = new LinkedHashMap<>();
        QUERY_PARTS.forEach(name -> request.parameter(name).ifPresent(value -> parts.put(name, value)));
        if (parts.size() < 2 || !parts.containsKey("tag")) {
            throw ProblemException.invalid("tag", "must be given together with user or target");
        }
        return Pages.respond(
                request, (after, limit) -> VOTES.documents.find(store, parts, after, limit), Reputation::json);
    }

    private static Type type(Request request) {
        Type type = TYPES.get(request.part("type"));
        if (type == null) {
            throw ProblemException.notFound("type of documents; the types are users, tags, reputations and votes");
        }
        return type;
    }

    private static String key(Request request, Type type) {
        String key = request.part("key");
        try {
            type.documents.key().parse(key);
            return key;
        } catch (MalformedException e) {
            throw ProblemException.malformed(e);
        }
    }

    private static Json data(Request request) {
        return JsonText.member(request.json(), "data")
                .orElseThrow(() -> ProblemException.invalid("data", "is missing"));
    }

    private static JsonNode json(Document document) {
        return JsonText.object()
                .put("key", document.key())
                .put("version", document.version())
                .set("data", JsonText.raw(document.data()))
                .put("createdAt", JsonText.time(document.createdAt()))
                .put("updatedAt", JsonText.time(document.updatedAt()));
    }
}
