package dev.semel.server.apps.collections;

import dev.semel.document.DocumentCollection;
import dev.semel.document.DocumentCollection.WriteResult;
import dev.semel.document.Transactions;
import dev.semel.http.Problem;
import dev.semel.id.IdFormat.Fault;
import dev.semel.id.IdScheme;
import dev.semel.id.IdSchemes;
import dev.semel.id.MalformedException;
import dev.semel.id.TextFormat;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.IfMatch;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Pages;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.Document;
import dev.semel.store.spi.DocumentStore;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Collections of JSON documents with minted or chosen ids. Each user has separate collections. */
public final class Collections implements App {

    /** The maximum length of a collection's name. */
    private static final int LONGEST_NAME = 60;

    /** Prefix that separates collections of users from those of the server. */
    private static final String OWN = "own/";

    private static final String DOCUMENTS = "/v1/collections/{collection}/records";
    private static final String DOCUMENT = DOCUMENTS + "/{id}";
    private static final int MOST_IDS = 1_000;

    /** The maximum number of taken ids that a request skips, with schemes that count. */
    private static final int MOST_SKIPPED = 1_000;

    private final DocumentStore store;
    private final Transactions transactions;

    public Collections(Transactions transactions) {
        this.store = transactions.store();
        this.transactions = transactions;
    }

    @Override
    public void declare(Routes routes) {
        routes.atomic("POST", DOCUMENTS, this::create)
                .get(DOCUMENTS, this::list)
                .atomic("PUT", DOCUMENT, Collections::put)
                .get(DOCUMENT, this::read)
                .atomic("DELETE", DOCUMENT, Collections::delete)
                .get("/v1/ids/{scheme}", this::mint);
    }

    private ApiResponse create(Request request) {
        DocumentCollection collection = collection(request);
        Json data = request.json();
        IdScheme scheme = IdSource.scheme(given(request, "scheme").orElse(IdSchemes.TID62.name()));
        IdScheme counted =
                IdSource.minting(scheme, request.tx(), request.user(), "collections/" + collection.collection());
        IdScheme minting = given(request, "prefix")
                .map(prefix -> prefixed(counted, prefix))
                .orElse(counted);
        Document document = scheme.isCounted()
                ? createCounted(request, collection, minting, data)
                : collection.createMinted(request.tx(), minting::mint, data);
        return ApiResponse.created(json(document)).with("ETag", tag(document));
    }

    /** Returns a parameter. One without a value counts as missing. */
    private static Optional<String> given(Request request, String parameter) {
        return request.parameter(parameter).filter(value -> !value.isEmpty());
    }

    private static IdScheme prefixed(IdScheme scheme, String prefix) {
        try {
            return scheme.prefixed(prefix);
        } catch (MalformedException e) {
            throw ProblemException.malformed(e);
        }
    }

    /**
     * Creates a document under the next free number: users may have chosen some of the numbers themselves. Reads outside of the
     * transaction, so a taken number does not become a precondition of the commit.
     */
    private Document createCounted(Request request, DocumentCollection collection, IdScheme scheme, Json data) {
        for (int i = 0; i < MOST_SKIPPED; i++) {
            String id = scheme.mint();
            if (collection.read(store, id).isEmpty()
                    && collection.create(request.tx(), id, data) instanceof WriteResult.Written written) {
                return written.document();
            }
        }
        throw ProblemException.named(409, "id_taken", "The next " + MOST_SKIPPED + " ids of " + scheme + " are taken");
    }

    private static ApiResponse put(Request request) {
        DocumentCollection collection = collection(request);
        String id = id(request);
        Json data = request.json();
        Optional<String> create = request.header("If-None-Match");
        Optional<String> update = request.header(IfMatch.NAME);
        if (create.isPresent() && update.isPresent()) {
            throw ProblemException.invalid(IfMatch.NAME, "cannot be sent together with If-None-Match");
        }
        if (create.isPresent()) {
            if (!create.get().strip().equals("*")) {
                throw ProblemException.invalid("If-None-Match", "must be *");
            }
            return create(request, collection, id, data);
        }
        if (update.isPresent()) {
            return update(request, collection, IfMatch.parse(update.get()), data);
        }
        throw new ProblemException(Problem.of(428, "precondition_required", "Precondition required")
                .detailed("Send If-None-Match: * to create a document, or If-Match with its version to update it"));
    }

    private static ApiResponse create(Request request, DocumentCollection collection, String id, Json data) {
        WriteResult result = collection.create(request.tx(), id, data);
        if (result instanceof WriteResult.Written written) {
            return ApiResponse.created(json(written.document())).with("ETag", tag(written.document()));
        }
        throw ProblemException.named(409, "id_taken", "There is a document with this id already");
    }

    private static ApiResponse update(Request request, DocumentCollection collection, IfMatch versions, Json data) {
        Document current = current(request, collection, versions);
        WriteResult result = collection.update(request.tx(), current.key(), current.version(), data);
        Document updated = ((WriteResult.Written) result).document();
        return ApiResponse.ok(json(updated)).with("ETag", tag(updated));
    }

    private static ApiResponse delete(Request request) {
        DocumentCollection collection = collection(request);
        IfMatch versions = IfMatch.parse(request.header(IfMatch.NAME).orElse("*"));
        Document current = current(request, collection, versions);
        collection.delete(request.tx(), current.key(), current.version());
        return ApiResponse.nothing();
    }

    /** Returns the document that a request changes, if its version meets the precondition. */
    private static Document current(Request request, DocumentCollection collection, IfMatch versions) {
        Document current =
                collection.read(request.tx(), id(request)).orElseThrow(() -> ProblemException.notFound("document"));
        versions.check(current.version());
        return current;
    }

    private ApiResponse read(Request request) {
        Document document =
                collection(request).read(store, id(request)).orElseThrow(() -> ProblemException.notFound("document"));
        return ApiResponse.ok(json(document)).with("ETag", tag(document));
    }

    private ApiResponse list(Request request) {
        DocumentCollection collection = collection(request);
        String prefix = given(request, "prefix").orElse("");
        Fault fault = prefix.isEmpty() ? null : TextFormat.TEXT.fault(prefix);
        if (fault != null) {
            throw ProblemException.invalid("prefix", fault.problem() + "; expected " + TextFormat.TEXT.expected());
        }
        KeyRange range = KeyRange.ofPrefix(prefix);
        return Pages.respond(request, (after, limit) -> collection.scan(store, range, after, limit), Collections::json);
    }

    private ApiResponse mint(Request request) {
        IdScheme scheme = IdSource.scheme(request.part("scheme"));
        int count = request.number("n", 1, MOST_IDS);
        return ApiResponse.ok(
                scheme.isCounted()
                        ? transactions.run(tx -> ids(IdSource.minting(scheme, tx, request.user(), "ids"), count))
                        : ids(scheme, count));
    }

    private static JsonNode ids(IdScheme scheme, int count) {
        ObjectNode body = JsonText.object();
        ArrayNode ids = body.putArray("ids");
        for (int i = 0; i < count; i++) {
            ids.add(scheme.mint());
        }
        return body;
    }

    private static DocumentCollection collection(Request request) {
        String name = request.part("collection");
        if (name.length() > LONGEST_NAME || !TextFormat.TEXT.isValid(name)) {
            throw ProblemException.invalid("collection", "must be 1 to " + LONGEST_NAME + " of 0-9A-Za-z_-");
        }
        return DocumentCollection.of(OWN + name, DocumentIds.ANY).ownedBy(request.user());
    }

    private static String id(Request request) {
        String id = request.part("id");
        Fault fault = TextFormat.TEXT.fault(id);
        if (fault != null) {
            throw new ProblemException(Problem.of(400, "invalid_id", "invalid_id")
                    .detailed("id " + fault.problem() + "; expected " + TextFormat.TEXT.expected())
                    .with("field", "id"));
        }
        return id;
    }

    private static JsonNode json(Document document) {
        return JsonText.object()
                .put("id", document.key())
                .put("version", document.version())
                .put("createdAt", JsonText.time(document.createdAt()))
                .put("updatedAt", JsonText.time(document.updatedAt()))
                .set("data", JsonText.raw(document.data()));
    }

    private static String tag(Document document) {
        return IfMatch.tagOf(document.version());
    }
}
