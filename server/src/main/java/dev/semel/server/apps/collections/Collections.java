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
import dev.semel.server.apps.collections.Catalog.Own;
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
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Collections of JSON documents with minted or chosen ids. Each user has separate collections. */
public final class Collections implements App {

    private static final String DOCUMENTS = "/v1/collections/{collection}/records";
    private static final String DOCUMENT = DOCUMENTS + "/{id}";
    private static final int MOST_IDS = 1_000;

    /** The maximum number of taken ids that a request skips, with schemes that count. */
    private static final int MOST_SKIPPED = 1_000;

    private final DocumentStore store;
    private final Transactions transactions;
    private final Catalog catalog;

    public Collections(Transactions transactions) {
        this.store = transactions.store();
        this.transactions = transactions;
        this.catalog = new Catalog(transactions);
    }

    @Override
    public void declare(Routes routes) {
        routes.atomic("POST", DOCUMENTS, this::create)
                .get(DOCUMENTS, this::list)
                .atomic("PUT", DOCUMENT, this::put)
                .get(DOCUMENT, this::read)
                .atomic("DELETE", DOCUMENT, this::delete)
                .get("/v1/ids/{scheme}", this::mint);
        catalog.declare(routes);
    }

    private ApiResponse create(Request request) {
        Json data = request.json();
        Own own = catalog.toCreate(request);
        DocumentCollection collection = own.documents();
        IdScheme scheme = given(request, "scheme")
                .map(IdSource::scheme)
                .orElseGet(() -> own.declaration().map(Declaration::scheme).orElse(IdSchemes.TID62));
        IdScheme counted =
                IdSource.minting(scheme, request.tx(), request.user(), "collections/" + collection.collection());
        IdScheme minting = prefixed(request, counted);
        Supplier<String> ids = own.declaration()
                .map(declaration ->
                        ids(declaration, request, given(request, "prefix").isPresent(), minting))
                .orElse(minting::mint);
        Document document = scheme.isCounted()
                ? createCounted(request, collection, scheme, ids, data)
                : collection.createMinted(request.tx(), ids, data);
        return ApiResponse.created(json(document)).with("ETag", tag(document));
    }

    /** Returns new ids of a declared collection: its parts are parameters, or the whole id is minted behind a prefix. */
    private static Supplier<String> ids(
            Declaration declaration, Request request, boolean isPrefixed, IdScheme minting) {
        Map<String, String> parts = declaration.parts(request.query());
        if (!isPrefixed) {
            return declaration.ids(parts, minting);
        }
        if (!parts.isEmpty()) {
            throw ProblemException.invalid("prefix", "cannot be sent together with parts of the id");
        }
        return () -> declaration.check(minting.mint());
    }

    /** Returns a parameter. One without a value counts as missing. */
    private static Optional<String> given(Request request, String parameter) {
        return request.parameter(parameter).filter(value -> !value.isEmpty());
    }

    /** Returns a scheme behind the prefix that a request asks for, if it does. */
    private static IdScheme prefixed(Request request, IdScheme scheme) {
        try {
            return given(request, "prefix").map(scheme::prefixed).orElse(scheme);
        } catch (MalformedException e) {
            throw ProblemException.malformed(e);
        }
    }

    /**
     * Creates a document under the next free number: users may have chosen some of the numbers themselves. Reads outside of the
     * transaction, so a taken number does not become a precondition of the commit.
     */
    private Document createCounted(
            Request request, DocumentCollection collection, IdScheme scheme, Supplier<String> ids, Json data) {
        for (int i = 0; i < MOST_SKIPPED; i++) {
            String id = ids.get();
            if (collection.read(store, id).isEmpty()
                    && collection.create(request.tx(), id, data) instanceof WriteResult.Written written) {
                return written.document();
            }
        }
        throw ProblemException.named(409, "id_taken", "The next " + MOST_SKIPPED + " ids of " + scheme + " are taken");
    }

    private ApiResponse put(Request request) {
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
            return create(request, catalog.toCreate(request), id, data);
        }
        if (update.isPresent()) {
            return update(request, catalog.toChange(request), IfMatch.parse(update.get()), data);
        }
        throw new ProblemException(Problem.of(428, "precondition_required", "Precondition required")
                .detailed("Send If-None-Match: * to create a document, or If-Match with its version to update it"));
    }

    private static ApiResponse create(Request request, Own own, String id, Json data) {
        check(own, id);
        WriteResult result = own.documents().create(request.tx(), id, data);
        if (result instanceof WriteResult.Written written) {
            return ApiResponse.created(json(written.document())).with("ETag", tag(written.document()));
        }
        throw ProblemException.named(409, "id_taken", "There is a document with this id already");
    }

    private static ApiResponse update(Request request, Own own, IfMatch versions, Json data) {
        Document current = current(request, own, versions);
        WriteResult result = own.documents().update(request.tx(), current.key(), current.version(), data);
        Document updated = ((WriteResult.Written) result).document();
        return ApiResponse.ok(json(updated)).with("ETag", tag(updated));
    }

    private ApiResponse delete(Request request) {
        id(request);
        IfMatch versions = IfMatch.parse(request.header(IfMatch.NAME).orElse("*"));
        Own own = catalog.toChange(request);
        Document current = current(request, own, versions);
        own.documents().delete(request.tx(), current.key(), current.version());
        return ApiResponse.nothing();
    }

    /** Returns the document that a request changes, if its version meets the precondition. */
    private static Document current(Request request, Own own, IfMatch versions) {
        Document current = own.documents()
                .read(request.tx(), check(own, id(request)))
                .orElseThrow(() -> ProblemException.notFound("document"));
        versions.check(current.version());
        return current;
    }

    private ApiResponse read(Request request) {
        String id = id(request);
        Document document = Catalog.undeclared(request).read(store, id).orElseThrow(() -> absent(request, id));
        return ApiResponse.ok(json(document)).with("ETag", tag(document));
    }

    /** Reads the declaration only if there is no document: each document that exists matches it. */
    private ProblemException absent(Request request, String id) {
        check(catalog.toRead(request), id);
        return ProblemException.notFound("document");
    }

    private ApiResponse list(Request request) {
        Own own = catalog.toRead(request);
        Map<String, String> parts = own.declaration()
                .map(declaration -> declaration.scanned(request.query()))
                .orElse(Map.of());
        String prefix = given(request, "prefix").orElse("");
        Fault fault = prefix.isEmpty() ? null : TextFormat.TEXT.fault(prefix);
        if (fault != null) {
            throw ProblemException.invalid("prefix", fault.problem() + "; expected " + TextFormat.TEXT.expected());
        }
        if (!prefix.isEmpty() && !parts.isEmpty()) {
            throw ProblemException.invalid("prefix", "cannot be sent together with parts of the id");
        }
        return Pages.respond(
                request,
                (after, limit) -> parts.isEmpty()
                        ? own.documents().scan(store, KeyRange.ofPrefix(prefix), after, limit)
                        : own.documents().find(store, parts, after, limit),
                Collections::json);
    }

    private ApiResponse mint(Request request) {
        IdScheme scheme = IdSource.scheme(request.part("scheme"));
        int count = request.number("n", 1, MOST_IDS);
        return ApiResponse.ok(
                scheme.isCounted()
                        ? transactions.run(tx ->
                                ids(prefixed(request, IdSource.minting(scheme, tx, request.user(), "ids")), count))
                        : ids(prefixed(request, scheme), count));
    }

    private static JsonNode ids(IdScheme scheme, int count) {
        ObjectNode body = JsonText.object();
        ArrayNode ids = body.putArray("ids");
        for (int i = 0; i < count; i++) {
            ids.add(scheme.mint());
        }
        return body;
    }

    private static String id(Request request) {
        String id = request.part("id");
        Fault fault = TextFormat.TEXT.fault(id);
        if (fault != null) {
            throw Declaration.invalidId("id", fault.problem() + "; expected " + TextFormat.TEXT.expected());
        }
        return id;
    }

    /** Rejects an id that does not match the declaration of its collection. */
    private static String check(Own own, String id) {
        own.declaration().ifPresent(declaration -> declaration.check(id));
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
