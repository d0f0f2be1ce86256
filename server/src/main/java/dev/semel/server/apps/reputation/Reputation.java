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
import dev.semel.server.web.IfMatch;
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
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Documents for users, tags, reputations and votes, which are found by their composite keys. */
public final class Reputation implements App {

    private static final String DOCUMENTS = "/v1/documents/{type}";
    private static final String DOCUMENT = DOCUMENTS + "/{key}";

    /** The parts of the keys of all types, in the order in which a query is checked. */
    private static final List<KeyTemplate.Part> PARTS = DocumentKeys.VOTE.parts();

    /** Longer than any valid part; the key template checks the part itself. */
    private static final int LONGEST_PART = 255;

    private final DocumentStore store;

    private final boolean readsLegacyKeys;

    /** @param readsLegacyKeys whether a legacy key in a path stands for the key that the migration has given the document */
    public Reputation(DocumentStore store, boolean readsLegacyKeys) {
        this.store = store;
        this.readsLegacyKeys = readsLegacyKeys;
    }

    @Override
    public void declare(Routes routes) {
        routes.atomic("POST", DOCUMENTS, Reputation::create)
                .get(DOCUMENTS, this::find)
                .atomic("PUT", DOCUMENT, new Put())
                .get(DOCUMENT, this::read);
    }

    private static ApiResponse create(Request request) {
        DocumentType type = type(request);
        JsonNode body = request.object();
        String key = key(type, body);
        WriteResult result = type.documents().create(request.tx(), key, data(request));
        if (result instanceof WriteResult.Taken taken) {
            throw taken(taken.current());
        }
        return created(result);
    }

    private static ProblemException taken(Document current) {
        return new ProblemException(Problem.of(409, "key_taken", "key_taken")
                .detailed("There is a document with this key already")
                .with("version", current.version()));
    }

    /** Returns the key of a new document from the parts in the request. */
    private static String key(DocumentType type, JsonNode body) {
        Map<String, String> parts = new LinkedHashMap<>();
        for (KeyTemplate.Part part : type.key().parts()) {
            String name = part.name();
            if (Request.isGiven(body, name)) {
                parts.put(name, Request.text(body, name, LONGEST_PART));
            } else if (name.equals(type.minted())) {
                parts.put(name, IdSchemes.UUID4S.mint());
            }
        }
        try {
            return type.key().key(parts);
        } catch (MalformedException e) {
            throw ProblemException.malformed(e);
        }
    }

    /**
     * Creates or updates a document. After a write conflict, reads it again and retries. A request for certain versions is not retried,
     * because the conflict means that the document has another version. With {@code If-None-Match: *}, only creates.
     */
    private final class Put implements Handler {

        private static final ConflictPolicy RETRY =
                new ConflictPolicy(DocumentCollection.UPSERT_BACKOFF, Put::conflict);

        private static final ConflictPolicy DO_NOT_RETRY =
                new ConflictPolicy(List.of(), conflict -> IfMatch.stale(conflict.version()));

        @Override
        public ApiResponse handle(Request request) {
            DocumentType type = type(request);
            String key = key(request, type);
            request.object();
            Json data = data(request);
            Optional<IfMatch> versions = request.header(IfMatch.NAME).map(IfMatch::parse);
            boolean createsOnly = createsOnly(request);
            if (createsOnly && versions.isPresent()) {
                throw ProblemException.invalid(IfMatch.NAME, "cannot be sent together with If-None-Match");
            }
            Optional<Document> current = type.documents().read(request.tx(), key);
            if (current.isEmpty()) {
                if (versions.isPresent()) {
                    throw IfMatch.stale(0);
                }
                return created(type.documents().create(request.tx(), key, data));
            }
            if (createsOnly) {
                throw taken(current.get());
            }
            long version = current.get().version();
            versions.ifPresent(precondition -> precondition.check(version));
            return ok(written(type.documents().update(request.tx(), key, version, data)));
        }

        /** Whether the request must not update a document. To ignore its header would overwrite what the client has not seen. */
        private static boolean createsOnly(Request request) {
            Optional<String> none = request.header("If-None-Match");
            if (none.isPresent() && !none.get().strip().equals("*")) {
                throw ProblemException.invalid("If-None-Match", "must be *");
            }
            return none.isPresent();
        }

        @Override
        public Optional<ConflictPolicy> conflictPolicy(Function<String, @Nullable String> headers) {
            String versions = headers.apply(IfMatch.NAME);
            boolean anyVersion = versions == null || versions.strip().equals("*");
            return Optional.of(anyVersion ? RETRY : DO_NOT_RETRY);
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

    private static ApiResponse created(WriteResult result) {
        Document document = written(result);
        return ApiResponse.created(json(document)).with("ETag", IfMatch.tagOf(document.version()));
    }

    private static ApiResponse ok(Document document) {
        return ApiResponse.ok(json(document)).with("ETag", IfMatch.tagOf(document.version()));
    }

    private ApiResponse read(Request request) {
        DocumentType type = type(request);
        return ok(type.documents()
                .read(store, key(request, type))
                .orElseThrow(() -> ProblemException.notFound("document")));
    }

    private ApiResponse find(Request request) {
        DocumentType type = type(request);
        Map<String, String> parts = queried(request, type);
        List<Set<String>> queries = type.documents().queries();
        if (!queries.contains(parts.keySet())) {
            throw ProblemException.notScannable(parts.keySet(), queries);
        }
        return Pages.respond(
                request, (after, limit) -> type.documents().find(store, parts, after, limit), Reputation::json);
    }

    /** Returns the parts of keys that a query gives. */
    private static Map<String, String> queried(Request request, DocumentType type) {
        List<KeyTemplate.Part> known = type.key().parts();
        Map<String, String> queried = new LinkedHashMap<>();
        for (KeyTemplate.Part part : PARTS) {
            String name = part.name();
            Optional<String> value = request.parameter(name);
            if (value.isEmpty()) {
                continue;
            }
            if (!known.contains(part)) {
                throw ProblemException.invalid(name, "is not a part of the keys of " + request.part("type"));
            }
            try {
                queried.put(name, part.format().check(name, value.get()));
            } catch (MalformedException e) {
                throw ProblemException.malformed(e);
            }
        }
        return queried;
    }

    private static DocumentType type(Request request) {
        return DocumentType.named(request.part("type"))
                .orElseThrow(() -> ProblemException.notFound(
                        "type of documents; the types are users, tags, reputations and votes"));
    }

    /** Returns the key in the path of a request, or the one that a legacy key there stands for. */
    private String key(Request request, DocumentType type) {
        String key = request.part("key");
        try {
            type.key().parse(key);
            return key;
        } catch (MalformedException e) {
            return (readsLegacyKeys ? LegacyKeys.resolve(store, type, key) : Optional.<String>empty())
                    .orElseThrow(() -> ProblemException.malformed(e));
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
