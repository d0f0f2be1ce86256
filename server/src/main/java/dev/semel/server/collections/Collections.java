package dev.semel.server.collections;

import dev.semel.http.Problem;
import dev.semel.id.IdFormat.Fault;
import dev.semel.id.IdScheme;
import dev.semel.id.IdSchemes;
import dev.semel.id.MalformedException;
import dev.semel.id.SequenceScheme;
import dev.semel.id.TextFormat;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.record.Records;
import dev.semel.record.WriteResult;
import dev.semel.server.web.Answer;
import dev.semel.server.web.App;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Pages;
import dev.semel.server.web.Refusal;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.Document;
import dev.semel.store.Store;
import dev.semel.store.Transactions;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Records in collections, each user's own, under ids that are made for them or chosen. */
public final class Collections implements App {

    /** The most characters of a collection's name. */
    private static final int LONGEST_NAME = 60;

    /** Keeps the collections of users apart from those of the server. */
    private static final String OWN = "own/";

    private static final String RECORDS = "/v1/collections/{collection}/records";
    private static final String RECORD = RECORDS + "/{id}";
    private static final int MOST_IDS = 1_000;

    /** How many counted ids that somebody has chosen before are skipped at once. */
    private static final int MOST_SKIPPED = 1_000;

    private final Store store;
    private final Transactions transactions;

    public Collections(Transactions transactions) {
        this.store = transactions.store();
        this.transactions = transactions;
    }

    @Override
    public void declare(Routes routes) {
        routes.atomic("POST", RECORDS, this::create)
                .get(RECORDS, this::list)
                .atomic("PUT", RECORD, Collections::put)
                .get(RECORD, this::read)
                .atomic("DELETE", RECORD, Collections::delete)
                .get("/v1/ids/{scheme}", this::mint);
    }

    private Answer create(Request request) {
        Records records = records(request);
        Json data = request.json();
        IdScheme scheme = IdSource.scheme(given(request, "scheme").orElse(IdSchemes.TID62.name()));
        IdScheme counted =
                IdSource.minting(scheme, request.tx(), request.user(), "collections/" + records.collection());
        IdScheme minting = given(request, "prefix")
                .map(prefix -> prefixed(counted, prefix))
                .orElse(counted);
        Document record = scheme instanceof SequenceScheme
                ? createCounted(request, records, minting, data)
                : records.createMinted(request.tx(), minting::mint, data);
        return Answer.created(json(record)).with("ETag", tag(record));
    }

    /** A parameter; one without a value counts as not given. */
    private static Optional<String> given(Request request, String parameter) {
        return request.parameter(parameter).filter(value -> !value.isEmpty());
    }

    private static IdScheme prefixed(IdScheme scheme, String prefix) {
        try {
            return scheme.prefixed(prefix);
        } catch (MalformedException e) {
            throw Refusal.malformed(e);
        }
    }

    /** Somebody may have chosen the next numbers before, so each is looked at; those that are taken need not stay so. */
    private Document createCounted(Request request, Records records, IdScheme scheme, Json data) {
        for (int i = 0; i < MOST_SKIPPED; i++) {
            String id = scheme.mint();
            if (records.read(store, id).isEmpty()
                    && records.create(request.tx(), id, data) instanceof WriteResult.Written written) {
                return written.document();
            }
        }
        throw Refusal.named(409, "id_taken", "The next " + MOST_SKIPPED + " ids of " + scheme + " are taken");
    }

    private static Answer put(Request request) {
        Records records = records(request);
        String id = id(request);
        Json data = request.json();
        Optional<String> create = request.header("If-None-Match");
        Optional<String> update = request.header("If-Match");
        if (create.isPresent() && update.isPresent()) {
            throw Refusal.invalid("If-Match", "cannot be sent together with If-None-Match");
        }
        if (create.isPresent()) {
            if (!create.get().strip().equals("*")) {
                throw Refusal.invalid("If-None-Match", "has to be *");
            }
            return create(request, records, id, data);
        }
        if (update.isPresent()) {
            return update(request, records, IfMatch.parse(update.get()), data);
        }
        throw new Refusal(Problem.of(428, "precondition_required", "Precondition required")
                .detailed("Send If-None-Match: * to create a record, or If-Match with its version to update it"));
    }

    private static Answer create(Request request, Records records, String id, Json data) {
        WriteResult result = records.create(request.tx(), id, data);
        if (result instanceof WriteResult.Written written) {
            return Answer.created(json(written.document())).with("ETag", tag(written.document()));
        }
        throw Refusal.named(409, "id_taken", "There is a record with this id already");
    }

    private static Answer update(Request request, Records records, IfMatch versions, Json data) {
        Document current = current(request, records, versions);
        WriteResult result = records.update(request.tx(), current.key(), current.version(), data);
        Document updated = ((WriteResult.Written) result).document();
        return Answer.ok(json(updated)).with("ETag", tag(updated));
    }

    private static Answer delete(Request request) {
        Records records = records(request);
        IfMatch versions = IfMatch.parse(request.header("If-Match").orElse("*"));
        Document current = current(request, records, versions);
        records.delete(request.tx(), current.key(), current.version());
        return Answer.nothing();
    }

    /** The record that is to be changed, if it has one of the versions that the change is meant for. */
    private static Document current(Request request, Records records, IfMatch versions) {
        Document current = records.read(request.tx(), id(request)).orElseThrow(() -> Refusal.notFound("record"));
        if (!versions.isMetBy(current.version())) {
            throw new Refusal(Problem.of(412, "stale_version", "stale_version")
                    .detailed("The record has another version by now")
                    .with("version", current.version()));
        }
        return current;
    }

    private Answer read(Request request) {
        Document record = records(request).read(store, id(request)).orElseThrow(() -> Refusal.notFound("record"));
        return Answer.ok(json(record)).with("ETag", tag(record));
    }

    private Answer list(Request request) {
        Records records = records(request);
        String prefix = given(request, "prefix").orElse("");
        Fault fault = prefix.isEmpty() ? null : TextFormat.TEXT.fault(prefix);
        if (fault != null) {
            throw Refusal.invalid("prefix", fault.problem() + "; expected " + TextFormat.TEXT.expected());
        }
        KeyRange range = KeyRange.ofPrefix(prefix);
        return Pages.answer(request, (after, limit) -> records.scan(store, range, after, limit), Collections::json);
    }

    private Answer mint(Request request) {
        IdScheme scheme = IdSource.scheme(request.part("scheme"));
        int count = request.number("n", 1, MOST_IDS);
        return Answer.ok(
                scheme instanceof SequenceScheme
                        ? transactions.run(tx -> ids(IdSource.minting(scheme, tx, request.user(), "ids"), count))
                        : ids(scheme, count));
    }

    private static JsonNode ids(IdScheme scheme, int count) {
        ObjectNode answer = JsonText.object();
        ArrayNode ids = answer.putArray("ids");
        for (int i = 0; i < count; i++) {
            ids.add(scheme.mint());
        }
        return answer;
    }

    private static Records records(Request request) {
        String name = request.part("collection");
        if (name.length() > LONGEST_NAME || !TextFormat.TEXT.isValid(name)) {
            throw Refusal.invalid("collection", "has to be 1 to " + LONGEST_NAME + " of 0-9A-Za-z_-");
        }
        return Records.of(OWN + name, RecordKeys.ANY).ownedBy(request.user());
    }

    private static String id(Request request) {
        String id = request.part("id");
        Fault fault = TextFormat.TEXT.fault(id);
        if (fault != null) {
            throw new Refusal(Problem.of(400, "invalid_id", "invalid_id")
                    .detailed("id " + fault.problem() + "; expected " + TextFormat.TEXT.expected())
                    .with("field", "id"));
        }
        return id;
    }

    private static JsonNode json(Document record) {
        return JsonText.object()
                .put("id", record.key())
                .put("version", record.version())
                .put("createdAt", JsonText.time(record.createdAt()))
                .put("updatedAt", JsonText.time(record.updatedAt()))
                .set("data", JsonText.asItIs(record.data()));
    }

    private static String tag(Document record) {
        return "\"" + record.version() + "\"";
    }
}
