package dev.semel.server.reputation;

import dev.semel.http.Problem;
import dev.semel.id.IdSchemes;
import dev.semel.id.MalformedException;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.record.Records;
import dev.semel.record.WriteResult;
import dev.semel.server.web.Answer;
import dev.semel.server.web.App;
import dev.semel.server.web.Handler;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Pages;
import dev.semel.server.web.Refusal;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.ConflictException;
import dev.semel.store.Document;
import dev.semel.store.Store;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Documents of users, tags, reputations and votes, found by their keys alone. */
public final class Reputation implements App {

    private static final String DOCUMENTS = "/v1/documents/{type}";
    private static final String DOCUMENT = DOCUMENTS + "/{key}";

    private static final Type VOTES =
            new Type(Records.of("documents/votes", DocumentKeys.VOTE, DocumentKeys.VOTE_BY_TARGET), "key");

    private static final Map<String, Type> TYPES = Map.of(
            "users", new Type(Records.of("documents/users", DocumentKeys.USER), "user"),
            "tags", new Type(Records.of("documents/tags", DocumentKeys.TAG), "tag"),
            "reputations", new Type(Records.of("documents/reputations", DocumentKeys.REPUTATION), ""),
            "votes", VOTES);

    /** By what votes are asked for. */
    private static final List<String> ASKED_BY = List.of("user", "tag", "target");

    /** Longer than any part is; what a part has to be says its key. */
    private static final int LONGEST_PART = 255;

    private final Store store;

    /**
     * A type of documents.
     *
     * @param minted the part of its key that is made when it is not given, or empty where all have to be given
     */
    private record Type(Records records, String minted) {}

    public Reputation(Store store) {
        this.store = store;
    }

    @Override
    public void declare(Routes routes) {
        routes.atomic("POST", DOCUMENTS, Reputation::create)
                .get("/v1/documents/votes", this::votes)
                .atomic("PUT", DOCUMENT, new Put())
                .get(DOCUMENT, this::read);
    }

    private static Answer create(Request request) {
        Type type = type(request);
        JsonNode body = request.object();
        String key = key(type, body);
        WriteResult result = type.records.create(request.tx(), key, data(request));
        if (result instanceof WriteResult.Taken taken) {
            throw new Refusal(Problem.of(409, "key_taken", "key_taken")
                    .detailed("There is a document with this key already")
                    .with("version", taken.current().version()));
        }
        return Answer.created(json(((WriteResult.Written) result).document()));
    }

    /** The key of a new document, made of what the request gives. */
    private static String key(Type type, JsonNode body) {
        Map<String, String> parts = new LinkedHashMap<>();
        for (KeyTemplate.Part part : type.records.key().parts()) {
            String name = part.name();
            if (Request.isGiven(body, name)) {
                parts.put(name, Request.text(body, name, LONGEST_PART));
            } else if (name.equals(type.minted)) {
                parts.put(name, IdSchemes.UUID4S.mint());
            }
        }
        try {
            return type.records.key().key(parts);
        } catch (MalformedException e) {
            throw Refusal.malformed(e);
        }
    }

    /** Creates or updates; whoever is overtaken reads again and tries again, a few times. */
    private static final class Put implements Handler {

        private static final Overtaken OVERTAKEN = new Overtaken(
                List.of(Duration.ofMillis(100), Duration.ofMillis(200), Duration.ofMillis(400)), Put::conflict);

        @Override
        public Answer handle(Request request) {
            Type type = type(request);
            String key = key(request, type);
            request.object();
            Json data = data(request);
            Optional<Document> current = type.records.read(request.tx(), key);
            if (current.isEmpty()) {
                return Answer.created(json(written(type.records.create(request.tx(), key, data))));
            }
            long version = current.get().version();
            return Answer.ok(json(written(type.records.update(request.tx(), key, version, data))));
        }

        @Override
        public Optional<Overtaken> overtaken() {
            return Optional.of(OVERTAKEN);
        }

        private static Refusal conflict(ConflictException conflict) {
            return new Refusal(Problem.of(409, "version_conflict", "version_conflict")
                    .detailed("Others kept changing the document; nothing was written")
                    .with("version", conflict.version()));
        }
    }

    private static Document written(WriteResult result) {
        return ((WriteResult.Written) result).document();
    }

    private Answer read(Request request) {
        Type type = type(request);
        return Answer.ok(
                json(type.records.read(store, key(request, type)).orElseThrow(() -> Refusal.notFound("document"))));
    }

    private Answer votes(Request request) {
        Map<String, String> parts = new LinkedHashMap<>();
        ASKED_BY.forEach(name -> request.parameter(name).ifPresent(value -> parts.put(name, value)));
        if (parts.size() < 2 || !parts.containsKey("tag")) {
            throw Refusal.invalid("tag", "has to be given together with user or target");
        }
        return Pages.answer(
                request, (after, limit) -> VOTES.records.find(store, parts, after, limit), Reputation::json);
    }

    private static Type type(Request request) {
        Type type = TYPES.get(request.part("type"));
        if (type == null) {
            throw Refusal.notFound("type of documents; there are users, tags, reputations and votes");
        }
        return type;
    }

    private static String key(Request request, Type type) {
        String key = request.part("key");
        try {
            type.records.key().parse(key);
            return key;
        } catch (MalformedException e) {
            throw Refusal.malformed(e);
        }
    }

    private static Json data(Request request) {
        return JsonText.member(request.json(), "data").orElseThrow(() -> Refusal.invalid("data", "is missing"));
    }

    private static JsonNode json(Document document) {
        return JsonText.object()
                .put("key", document.key())
                .put("version", document.version())
                .set("data", JsonText.asItIs(document.data()))
                .put("createdAt", JsonText.time(document.createdAt()))
                .put("updatedAt", JsonText.time(document.updatedAt()));
    }
}
