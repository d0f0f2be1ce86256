package dev.semel.server.apps.collections;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.id.IdScheme;
import dev.semel.id.IdSchemes;
import dev.semel.server.EndToEnd;
import dev.semel.server.ServerFixture.Client;
import dev.semel.server.ServerFixture.Reply;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class CollectionsEndToEndTest extends EndToEnd {

    private static final String NOTES = "/v1/collections/notes/records";

    CollectionsEndToEndTest(On on) {
        super(on);
    }

    /** Returns a client of a new user. */
    private static Client somebody() {
        return as("user-" + IdSchemes.TID62.mint());
    }

    @Test
    void document_isCreatedReadUpdatedAndDeleted() {
        Client ann = somebody();
        Reply made = ann.post(NOTES, "{\"n\": 1.10}");
        assertThat(made.status()).isEqualTo(201);
        assertThat(made.json().propertyNames()).containsExactly("id", "version", "createdAt", "updatedAt", "data");
        assertThat(IdSchemes.TID62.isValid(made.text("id"))).isTrue();
        assertThat(made.text("version")).isEqualTo("1");
        assertThat(made.text("createdAt")).endsWith("Z").isEqualTo(made.text("updatedAt"));
        assertThat(made.text()).endsWith("\"data\":{\"n\": 1.10}}");
        assertThat(made.header("ETag")).isEqualTo("\"1\"");

        String path = NOTES + "/" + made.text("id");
        assertThat(ann.get(path).text()).isEqualTo(made.text());
        Reply updated = ann.put(path, "[2]", "If-Match", "\"1\"");
        assertThat(updated.status()).isEqualTo(200);
        assertThat(updated.text("version")).isEqualTo("2");
        assertThat(updated.text("createdAt")).isEqualTo(made.text("createdAt"));
        assertThat(updated.header("ETag")).isEqualTo("\"2\"");
        assertThat(ann.get(path).header("ETag")).isEqualTo("\"2\"");

        assertThat(ann.delete(path).status()).isEqualTo(204);
        assertProblem(ann.get(path), 404, "not_found");
        assertProblem(ann.delete(path), 404, "not_found");
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "1", "\"text\"", "[]", "{}", "false", "9007199254740993"})
    void anyJson_isData(String data) {
        Client ann = somebody();
        Reply made = ann.post(NOTES, data);
        assertThat(made.text()).endsWith("\"data\":" + data + "}");
        assertThat(ann.get(NOTES + "/" + made.text("id")).text()).isEqualTo(made.text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tid62", "uuid4", "uuid4s", "uuid464", "uuid7", "ulid", "seq10", "seq36", "ksuid", "nanoid", "typeid",
                "tsid"
            })
    void scheme_makesTheIds(String scheme) {
        Client ann = somebody();
        String plain = ann.post(NOTES + "?scheme=" + scheme, "1").text("id");
        assertThat(IdSchemes.named(scheme).orElseThrow().isValid(plain)).isTrue();
        String prefixed = ann.post(NOTES + "?prefix=user&scheme=" + scheme, "1").text("id");
        assertThat(prefixed).startsWith(scheme.equals("typeid") ? "user_" : "user-");
        IdScheme users = IdSchemes.named(scheme).orElseThrow().prefixed("user");
        assertThat(users.isValid(prefixed)).isTrue();
        assertThat(ann.get(NOTES + "/" + prefixed).status()).isEqualTo(200);

        Reply ids = ann.get("/v1/ids/" + scheme + "?n=3");
        assertThat(ids.json().propertyNames()).containsExactly("ids");
        assertThat(ids.json().get("ids").size()).isEqualTo(3);
        ids.json()
                .get("ids")
                .forEach(id -> assertThat(IdSchemes.named(scheme).orElseThrow().isValid(id.asString()))
                        .isTrue());
        assertThat(ann.get("/v1/ids/" + scheme).json().get("ids").size()).isEqualTo(1);
        Reply prefixedIds = ann.get("/v1/ids/" + scheme + "?n=2&prefix=user");
        assertThat(prefixedIds.json().get("ids").size()).isEqualTo(2);
        prefixedIds
                .json()
                .get("ids")
                .forEach(id -> assertThat(users.isValid(id.asString())).isTrue());
    }

    @Test
    void schemesThatAreDescribed_areThoseThatThereAre() {
        Client ann = somebody();
        JsonNode paths = ann.get("/openapi.json").json().get("paths");
        JsonNode described = paths.at("/~1v1~1ids~1{scheme}/get/parameters/0/schema/enum");
        assertThat(described.valueStream().map(JsonNode::asString))
                .containsExactlyElementsOf(IdSchemes.all().stream()
                        .map(IdScheme::name)
                        .filter(name -> !name.equals("day-nonce"))
                        .toList());
        Reply unknown = ann.get("/v1/ids/snowflake");
        assertThat(unknown.text("detail"))
                .endsWith("must be one of "
                        + described.valueStream().map(JsonNode::asString).collect(Collectors.joining(", ")));
    }

    @Test
    void numbersOfACountedScheme_areTheSameBehindEveryPrefix() {
        Client ann = somebody();
        assertThat(ann.get("/v1/ids/seq10?prefix=order").text()).isEqualTo("{\"ids\":[\"order-0000000001\"]}");
        assertThat(ann.get("/v1/ids/seq10?prefix=user").text()).isEqualTo("{\"ids\":[\"user-0000000002\"]}");
        assertThat(ann.get("/v1/ids/seq10").text()).isEqualTo("{\"ids\":[\"0000000003\"]}");
    }

    @Test
    void invalidSchemeOrPrefixOrNumber_isRejectedByName() {
        Client ann = somebody();
        assertInvalid(ann.post(NOTES + "?scheme=snowflake", "1"), "scheme");
        assertInvalid(ann.post(NOTES + "?scheme=day-nonce", "1"), "scheme");
        assertInvalid(ann.post(NOTES + "?prefix=a-b", "1"), "prefix");
        assertInvalid(ann.post(NOTES + "?prefix=" + "p".repeat(65), "1"), "prefix");
        for (String prefix : List.of("User", "user1", "_user", "user_", "u".repeat(64))) {
            assertInvalid(ann.post(NOTES + "?scheme=typeid&prefix=" + prefix, "1"), "prefix");
            assertInvalid(ann.get("/v1/ids/typeid?prefix=" + prefix), "prefix");
        }
        assertInvalid(ann.get("/v1/ids/tid62?prefix=a-b"), "prefix");
        assertInvalid(ann.get("/v1/ids/seq10?prefix=a-b"), "prefix");
        assertInvalid(ann.get("/v1/ids/snowflake"), "scheme");
        for (String n : List.of("0", "-1", "1001", "x", "", "99999999999")) {
            assertInvalid(ann.get("/v1/ids/tid62?n=" + n), "n");
        }
        assertThat(ann.get("/v1/ids/uuid7?n=1000").json().get("ids").size()).isEqualTo(1000);
    }

    @Test
    void chosenId_isUsedOnce() {
        Client ann = somebody();
        Reply made = ann.put(NOTES + "/order-1", "{\"a\":1}", "If-None-Match", "*");
        assertThat(made.status()).isEqualTo(201);
        assertThat(made.text("id")).isEqualTo("order-1");
        assertThat(made.header("ETag")).isEqualTo("\"1\"");
        Reply taken = ann.put(NOTES + "/order-1", "{\"a\":2}", "If-None-Match", "*");
        assertProblem(taken, 409, "id_taken");
        assertThat(taken.text("error")).isEqualTo("id_taken");
        assertThat(ann.get(NOTES + "/order-1").json().at("/data/a").asInt()).isEqualTo(1);
    }

    @Test
    void change_needsTheCurrentVersion() {
        Client ann = somebody();
        String path = NOTES + "/a";
        assertProblem(ann.put(path, "1"), 428, "precondition_required");
        assertProblem(ann.put(path, "1", "If-Match", "\"1\""), 404, "not_found");
        ann.put(path, "1", "If-None-Match", "*");
        ann.put(path, "2", "If-Match", "\"1\"");
        Reply stale = ann.put(path, "3", "If-Match", "\"1\"");
        assertProblem(stale, 412, "stale_version");
        assertThat(stale.json().get("version").asInt()).isEqualTo(2);
        assertProblem(ann.delete(path, "If-Match", "\"1\""), 412, "stale_version");
        assertProblem(ann.put(path, "3", "If-Match", "W/\"2\""), 412, "stale_version");
        assertProblem(ann.put(path, "3", "If-Match", "\"x\""), 412, "stale_version");
        assertProblem(ann.put(path, "3", "If-Match", "\"*\""), 412, "stale_version");
        assertInvalid(ann.put(path, "3", "If-Match", "x"), "If-Match");
        assertInvalid(ann.put(path, "3", "If-None-Match", "\"1\""), "If-None-Match");
        assertInvalid(ann.put(path, "3", "If-None-Match", "*", "If-Match", "\"2\""), "If-Match");
        assertThat(ann.get(path).text("data")).isEqualTo("2");
        assertThat(ann.put(path, "3", "If-Match", "*").status()).isEqualTo(200);
        assertThat(ann.delete(path, "If-Match", "\"3\"").status()).isEqualTo(204);
    }

    @Test
    void documents_areListedInKeyOrderByPrefix() {
        Client ann = somebody();
        List<String> ids =
                IntStream.range(0, 25).mapToObj(i -> "b-" + i).sorted().toList();
        ids.forEach(id -> ann.put(NOTES + "/" + id, "1", "If-None-Match", "*"));
        ann.put(NOTES + "/a-1", "1", "If-None-Match", "*");
        ann.put(NOTES + "/c-1", "1", "If-None-Match", "*");
        assertThat(allPages(ann, NOTES + "?prefix=b-", 7, "id")).isEqualTo(ids);
        assertThat(allPages(ann, NOTES, 1, "id")).hasSize(27).startsWith("a-1").endsWith("c-1");
        assertThat(ann.get(NOTES + "?prefix=nothing").text()).isEqualTo("{\"items\":[],\"next\":null}");
        for (String limit : List.of("0", "1001", "x", "-1")) {
            assertInvalid(ann.get(NOTES + "?limit=" + limit), "limit");
        }
        assertInvalid(ann.get(NOTES + "?after=nonsense!"), "after");
        assertInvalid(ann.get(NOTES + "?prefix=a%2Fb"), "prefix");
    }

    @Test
    void pageOfLargeDocuments_endsEarlyAndContinues() {
        Client ann = somebody();
        String large = "\"" + "x".repeat(1_000_000) + "\"";
        for (int i = 0; i < 8; i++) {
            assertThat(ann.put(NOTES + "/large-" + i, large, "If-None-Match", "*")
                            .status())
                    .isEqualTo(201);
        }
        Reply first = ann.get(NOTES + "?prefix=large-");
        assertThat(first.json().get("items").size()).isEqualTo(5);
        Reply second = ann.get(NOTES + "?prefix=large-&after=" + first.text("next"));
        assertThat(second.json().get("items").size()).isEqualTo(3);
        assertThat(second.json().get("next").isNull()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a%20b", "%C3%A4", "a.b", "a:b", "a%26b", "a%2Fb", "a%25b"})
    void idWithOtherCharacters_isRejected(String id) {
        Client ann = somebody();
        assertProblem(ann.get(NOTES + "/" + id), 400, "invalid_id");
        assertProblem(ann.delete(NOTES + "/" + id), 400, "invalid_id");
        Reply put = ann.put(NOTES + "/" + id, "1", "If-None-Match", "*");
        assertProblem(put, 400, "invalid_id");
        assertThat(put.text("error")).isEqualTo("invalid_id");
    }

    @Test
    void idsAndNames_haveALongestLength() {
        Client ann = somebody();
        assertThat(ann.put(NOTES + "/" + "i".repeat(255), "1", "If-None-Match", "*")
                        .status())
                .isEqualTo(201);
        assertProblem(ann.put(NOTES + "/" + "i".repeat(256), "1", "If-None-Match", "*"), 400, "invalid_id");
        assertThat(ann.post("/v1/collections/" + "c".repeat(60) + "/records", "1")
                        .status())
                .isEqualTo(201);
        assertInvalid(ann.post("/v1/collections/" + "c".repeat(61) + "/records", "1"), "collection");
        assertInvalid(ann.get("/v1/collections/a.b/records"), "collection");
    }

    @Test
    void documentsOfAUser_areHiddenFromOthers() {
        Client ann = somebody();
        Client bob = somebody();
        ann.put(NOTES + "/secret", "1", "If-None-Match", "*");
        assertProblem(bob.get(NOTES + "/secret"), 404, "not_found");
        assertThat(bob.get(NOTES).json().get("items").size()).isZero();
        assertThat(bob.put(NOTES + "/secret", "2", "If-None-Match", "*").status())
                .isEqualTo(201);
        assertThat(ann.get(NOTES + "/secret").text("data")).isEqualTo("1");
        assertThat(asNobody().get(NOTES).status()).isEqualTo(401);
    }

    @Test
    void retryWithTheKey_happensOnce() {
        Client ann = somebody();
        assertReplayed(
                ann.post(NOTES + "?scheme=seq10", "{\"a\":1}", "Idempotency-Key", "k"),
                ann.post(NOTES + "?scheme=seq10", "{\"a\":1.0}", "Idempotency-Key", "k"));
        assertThat(ann.post(NOTES + "?scheme=seq36", "{\"a\":1}", "Idempotency-Key", "k")
                        .status())
                .isEqualTo(422);
        String path = NOTES + "/0000000001";
        assertReplayed(
                ann.put(path, "2", "If-Match", "\"1\"", "Idempotency-Key", "k"),
                ann.put(path, "2", "If-Match", "\"1\"", "Idempotency-Key", "k"));
        Reply gone = ann.delete(path, "Idempotency-Key", "k");
        assertReplayed(gone, ann.delete(path, "Idempotency-Key", "k"));
        assertThat(gone.status()).isEqualTo(204);
        assertThat(ann.get(NOTES).json().get("items").size()).isZero();
    }

    @Test
    void conflict_isNotFinalForItsKey() {
        Client ann = somebody();
        String path = NOTES + "/a";
        ann.put(path, "1", "If-None-Match", "*");
        assertProblem(ann.put(path, "2", "If-None-Match", "*", "Idempotency-Key", "k"), 409, "id_taken");
        ann.delete(path);
        assertThat(ann.put(path, "2", "If-None-Match", "*", "Idempotency-Key", "k")
                        .status())
                .isEqualTo(201);
    }

    @Test
    void invalidJson_isRejected() {
        assertProblem(somebody().post(NOTES, "{"), 400, "invalid_json");
        assertProblem(somebody().post(NOTES, ""), 400, "invalid_json");
    }
}
