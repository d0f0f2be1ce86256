package dev.semel.server.apps.collections;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.id.IdSchemes;
import dev.semel.server.EndToEnd;
import dev.semel.server.ServerFixture.Client;
import dev.semel.server.ServerFixture.Reply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeclaredCollectionsEndToEndTest extends EndToEnd {

    private static final String WORKOUTS = "/v1/collections/workouts";
    private static final String RECORDS = WORKOUTS + "/records";
    private static final String KEY = "{user:tid62}-{workout:tid62}";
    private static final String DECLARATION =
            "{\"key\":\"" + KEY + "\",\"scheme\":\"tid62\",\"indexes\":{\"by_workout\":\"{workout}-{user}\"}}";

    private final Client ann = as("user-" + IdSchemes.TID62.mint());

    DeclaredCollectionsEndToEndTest(On on) {
        super(on);
    }

    private static String id() {
        return IdSchemes.TID62.mint();
    }

    private Reply create(String id) {
        return ann.put(RECORDS + "/" + id, "1", "If-None-Match", "*");
    }

    @Test
    void declaration_isCreatedOnce_andShown() {
        assertProblem(ann.get(WORKOUTS), 404, "not_found");
        Reply declared = ann.put(WORKOUTS, DECLARATION);
        assertThat(declared.status()).isEqualTo(201);
        assertThat(declared.text())
                .isEqualTo(
                        "{\"collection\":\"workouts\",\"declared\":true,\"key\":\"" + KEY + "\",\"scheme\":\"tid62\","
                                + "\"indexes\":{\"by_workout\":\"{workout}-{user}\"},"
                                + "\"scannable\":[[\"user\"],[\"user\",\"workout\"],[\"workout\"]]}");
        Reply again = ann.put(WORKOUTS, DECLARATION);
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.text()).isEqualTo(declared.text());
        assertThat(ann.get(WORKOUTS).text()).isEqualTo(declared.text());
    }

    @Test
    void declarationThatMeansTheSame_isNoOther() {
        String key = "\"key\":\"{a:hex}-{b:tid62}-{c:word}\"";
        ann.put(WORKOUTS, "{" + key + ",\"indexes\":{\"one\":\"{b}-{a}-{c}\",\"two\":\"{c}-{b}-{a}\"}}");
        ann.post(RECORDS + "?a=0&b=" + id(), "1");
        for (String same : List.of(
                "{\"scheme\":\"tid62\"," + key
                        + ",\"indexes\":{\"two\":\"{c:word}-{b:tid62}-{a}\",\"one\":\"{b:tid62}-{a:hex}-{c:word}\"}}",
                "{" + key + ",\"indexes\":{\"one\":\"{b}-{a}-{c}\",\"two\":\"{c}-{b}-{a}\"},\"unknown\":1}")) {
            assertThat(ann.put(WORKOUTS, same).status()).isEqualTo(200);
        }
        for (String other : List.of(
                "{" + key + ",\"indexes\":{\"one\":\"{b}-{a}-{c}\"}}",
                "{" + key + ",\"indexes\":{\"one\":\"{b}-{a}-{c}\",\"other\":\"{c}-{b}-{a}\"}}",
                "{" + key + ",\"scheme\":\"ulid\",\"indexes\":{\"one\":\"{b}-{a}-{c}\",\"two\":\"{c}-{b}-{a}\"}}",
                "{}")) {
            Reply reply = ann.put(WORKOUTS, other);
            assertProblem(reply, 409, "collection_in_use");
            assertThat(reply.text("error")).isEqualTo("collection_in_use");
        }
    }

    @Test
    void collectionWithDocuments_keepsItsDeclaration_untilTheyAreDeleted() {
        ann.put(WORKOUTS, DECLARATION);
        String id = id() + "-" + id();
        create(id);
        assertProblem(ann.put(WORKOUTS, "{\"key\":\"{id:ulid}\"}"), 409, "collection_in_use");
        assertProblem(ann.delete(WORKOUTS), 409, "collection_in_use");
        assertThat(ann.put(WORKOUTS, DECLARATION).status()).isEqualTo(200);
        assertThat(ann.get(WORKOUTS).text("key")).isEqualTo(KEY);
        ann.delete(RECORDS + "/" + id);
        assertThat(ann.put(WORKOUTS, DECLARATION).status()).isEqualTo(200);
        assertThat(ann.put(WORKOUTS, "{\"key\":\"{id:ulid}\"}").status()).isEqualTo(201);
        assertProblem(create(id), 400, "invalid_id");
        assertThat(create(IdSchemes.ULID.mint()).status()).isEqualTo(201);
    }

    @Test
    void undeclaredCollection_isDeclaredOnlyWithoutDocuments() {
        create("anything");
        assertThat(ann.get(WORKOUTS).text()).isEqualTo("{\"collection\":\"workouts\",\"declared\":false}");
        assertProblem(ann.put(WORKOUTS, DECLARATION), 409, "collection_in_use");
        assertProblem(ann.put(WORKOUTS, "{}"), 409, "collection_in_use");
        assertThat(create("else").status()).isEqualTo(201);
        ann.delete(RECORDS + "/anything");
        ann.delete(RECORDS + "/else");
        assertThat(ann.put(WORKOUTS, DECLARATION).status()).isEqualTo(201);
    }

    @Test
    void emptyCollection_isDeleted_withItsDeclaration() {
        assertProblem(ann.delete(WORKOUTS), 404, "not_found");
        ann.put(WORKOUTS, DECLARATION);
        assertThat(ann.delete(WORKOUTS).status()).isEqualTo(204);
        assertProblem(ann.get(WORKOUTS), 404, "not_found");
        assertThat(create("anything").status()).isEqualTo(201);
    }

    @Test
    void collections_areListedByName_andEachUserHasTheirOwn() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            names.add("c" + i);
            if (i % 2 == 0) {
                ann.put("/v1/collections/c" + i, DECLARATION);
            } else {
                ann.post("/v1/collections/c" + i + "/records", "1");
            }
        }
        assertThat(allPages(ann, "/v1/collections", 3, "collection")).isEqualTo(names);
        assertThat(column(ann.get("/v1/collections?limit=2"), "declared")).containsExactly("true", "false");
        Client bob = as("user-" + id());
        assertThat(bob.get("/v1/collections").text()).isEqualTo("{\"items\":[],\"next\":null}");
        assertProblem(bob.get("/v1/collections/c0"), 404, "not_found");
        assertThat(bob.put("/v1/collections/c0/records/any", "1", "If-None-Match", "*")
                        .status())
                .isEqualTo(201);
        assertThat(asNobody().get("/v1/collections").status()).isEqualTo(401);
        assertInvalid(ann.get("/v1/collections?after=nonsense!"), "after");
        assertInvalid(ann.get("/v1/collections/a.b"), "collection");
        assertInvalid(ann.put("/v1/collections/" + "c".repeat(61), "{}"), "collection");
    }

    /** A thousand of the longest declarations on a page would otherwise take seconds and hundreds of megabytes of heap. */
    @Test
    void listedCollection_hasItsDeclaration_withoutTheLongListOfWhatCanBeScanned() {
        List<String> parts = "abcdefghijklmnopqrstuvwxyzABCDE"
                .chars()
                .mapToObj(Character::toString)
                .toList();
        String key = parts.stream().map(part -> "{" + part + ":hex}").collect(Collectors.joining("-"));
        List<String> indexes = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            List<String> rotated = new ArrayList<>(parts);
            Collections.rotate(rotated, i + 1);
            String index = rotated.stream().map(part -> "{" + part + "}").collect(Collectors.joining("-"));
            indexes.add("\"i" + i + "\":\"" + index + "\"");
        }
        String declaration = "{\"key\":\"" + key + "\",\"indexes\":{" + String.join(",", indexes) + "}}";
        assertThat(ann.put(WORKOUTS, declaration).status()).isEqualTo(201);
        assertThat(ann.get(WORKOUTS).json().get("scannable").size()).isGreaterThan(200);
        Reply list = ann.get("/v1/collections");
        assertThat(list.text()).hasSizeLessThan(declaration.length() + 200);
        assertThat(list.json().get("items").get(0).propertyNames())
                .containsExactly("collection", "declared", "key", "scheme", "indexes");
        assertThat(column(list, "key")).containsExactly(key);
    }

    @Test
    void idThatDoesNotMatch_isRejectedByItsPart() {
        ann.put(WORKOUTS, DECLARATION);
        String user = id();
        for (String id : List.of(user + "-short", user + "-" + "z".repeat(17))) {
            for (Reply reply : List.of(
                    create(id),
                    ann.put(RECORDS + "/" + id, "1", "If-Match", "*"),
                    ann.get(RECORDS + "/" + id),
                    ann.delete(RECORDS + "/" + id))) {
                assertProblem(reply, 400, "invalid_id");
                assertThat(reply.text("error")).isEqualTo("invalid_id");
                assertThat(reply.text("field")).isEqualTo("workout");
                assertThat(reply.text("detail")).startsWith("workout ");
            }
        }
        assertThat(create("x-" + id()).text("field")).isEqualTo("user");
        assertThat(create(user + "_" + id()).text("field")).isEqualTo("id");
        assertThat(create(user + "-" + id() + "-").text("field")).isEqualTo("id");
        assertThat(create("a.b").text("field")).isEqualTo("id");
        assertThat(create(user + "-" + id()).status()).isEqualTo(201);
        assertProblem(ann.get(RECORDS + "/" + user + "-" + id()), 404, "not_found");
    }

    @Test
    void documents_areListedByLeadingParts_inTheOrderOfTheKeyOrIndex() {
        ann.put(WORKOUTS, DECLARATION);
        List<String> users = Stream.generate(DeclaredCollectionsEndToEndTest::id)
                .limit(3)
                .sorted()
                .toList();
        List<String> workouts = Stream.generate(DeclaredCollectionsEndToEndTest::id)
                .limit(5)
                .sorted()
                .toList();
        users.forEach(user -> workouts.forEach(workout -> create(user + "-" + workout)));
        for (String user : users) {
            assertThat(allPages(ann, RECORDS + "?user=" + user, 2, "id"))
                    .isEqualTo(workouts.stream()
                            .map(workout -> user + "-" + workout)
                            .toList());
        }
        for (String workout : workouts) {
            List<String> ids = users.stream().map(user -> user + "-" + workout).toList();
            assertThat(allPages(ann, RECORDS + "?workout=" + workout, 1, "id")).isEqualTo(ids);
            ann.put(RECORDS + "/" + ids.get(0), "2", "If-Match", "*");
            ann.delete(RECORDS + "/" + ids.get(1));
            assertThat(column(ann.get(RECORDS + "?workout=" + workout), "id")).containsExactly(ids.get(0), ids.get(2));
        }
        String both = "?workout=" + workouts.get(0) + "&user=" + users.get(0);
        assertThat(column(ann.get(RECORDS + both), "id")).containsExactly(users.get(0) + "-" + workouts.get(0));
        assertThat(allPages(ann, RECORDS, 4, "id")).hasSize(10).isSorted();
        assertThat(column(ann.get(RECORDS + "?prefix=" + users.get(2)), "id")).hasSize(5);
        assertThat(column(ann.get(RECORDS + "?workout=" + id()), "id")).isEmpty();

        assertInvalid(ann.get(RECORDS + "?user=x"), "user");
        assertInvalid(ann.get(RECORDS + "?user="), "user");
        assertInvalid(ann.get(RECORDS + both.replace("&user=", "&user=%2F")), "user");
        assertInvalid(ann.get(RECORDS + "?prefix=a&user=" + users.get(0)), "prefix");
        assertInvalid(ann.get(RECORDS + "?limit=0&user=" + users.get(0)), "limit");
        String next = ann.get(RECORDS + "?limit=1&user=" + users.get(0)).text("next");
        assertInvalid(ann.get(RECORDS + "?after=" + next + "&user=" + users.get(1)), "after");
        assertInvalid(ann.get(RECORDS + "?after=" + next + "&workout=" + workouts.get(0)), "after");
    }

    @ParameterizedTest
    @ValueSource(strings = {"b=0", "foo=1", "a=0&c=0", "a=0&foo=1", "=1", "A=0", "scheme=tid62", "%22%27=1"})
    void partsThatAreNoLeadingOnes_areNotScannable(String query) {
        ann.put(WORKOUTS, "{\"key\":\"{a:hex}-{b:hex}-{c:hex}\",\"indexes\":{\"i\":\"{c}-{b}-{a}\"}}");
        Reply reply = ann.get(RECORDS + "?" + query);
        assertProblem(reply, 400, "not_scannable");
        assertThat(reply.text("error")).isEqualTo("not_scannable");
        assertThat(reply.json().get("scannable"))
                .hasToString("[[\"a\"],[\"a\",\"b\"],[\"a\",\"b\",\"c\"],[\"c\"],[\"c\",\"b\"]]");
        assertThat(reply.text("detail"))
                .endsWith("documents are listed by a, by a and b, by a and b and c, by c, by c and b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"user=%s&", "&user=%s", "user=%s&&limit=9", "&"})
    void emptyParameter_isNone(String query) {
        ann.put(WORKOUTS, DECLARATION);
        String user = id();
        String created = user + "-" + id();
        create(created);
        assertThat(column(ann.get(RECORDS + "?" + query.replace("%s", user)), "id"))
                .containsExactly(created);
    }

    @Test
    void unknownParameter_isIgnoredIfTheCollectionIsNotDeclared() {
        create("a");
        assertThat(column(ann.get(RECORDS + "?foo=1"), "id")).containsExactly("a");
    }

    @Test
    void lastPart_isMinted_andTheOthersAreParameters() {
        ann.put(WORKOUTS, DECLARATION);
        String user = id();
        Reply made = ann.post(RECORDS + "?user=" + user, "{\"a\":1}");
        assertThat(made.status()).isEqualTo(201);
        assertThat(made.text("id")).startsWith(user + "-");
        assertThat(IdSchemes.TID62.isValid(made.text("id").substring(18))).isTrue();
        assertThat(ann.get(RECORDS + "/" + made.text("id")).text()).isEqualTo(made.text());

        assertInvalidId(ann.post(RECORDS, "1"), "user");
        assertInvalidId(ann.post(RECORDS + "?user=", "1"), "user");
        assertInvalidId(ann.post(RECORDS + "?user=x", "1"), "user");
        assertInvalidId(ann.post(RECORDS + "?scheme=ulid&user=" + user, "1"), "workout");
        assertInvalidId(ann.post(RECORDS + "?prefix=" + user.substring(1), "1"), "user");
        assertInvalid(ann.post(RECORDS + "?workout=" + id() + "&user=" + user, "1"), "workout");
        assertInvalid(ann.post(RECORDS + "?prefix=a&user=" + user, "1"), "prefix");
        assertThat(ann.post(RECORDS + "?prefix=" + user, "1").text("id")).startsWith(user + "-");
        assertThat(column(ann.get(RECORDS), "id")).hasSize(2);
    }

    private static void assertInvalidId(Reply reply, String part) {
        assertProblem(reply, 400, "invalid_id");
        assertThat(reply.text("field")).isEqualTo(part);
    }

    @ParameterizedTest
    @CsvSource({
        "{id}, ulid, '', ulid, ''",
        "{id}, seq10, '', seq10, ''",
        "{id}, seq36, prefix=a, seq36, a-",
        "{id:uuid7}, tid62, '', uuid7, ''",
        "{id}, tid62, scheme=uuid464, uuid464, ''",
        "order-{n:seq10}, tid62, '', seq10, order-",
        "order-{n:seq10}, tid62, prefix=order&scheme=seq10, seq10, order-",
        "{kind:word}-{id:tid62}, tid62, kind=a_b, tid62, a_b-",
        "{kind:word}-{id}, uuid4, kind=a_b, uuid4, a_b-"
    })
    void mintedPart_hasTheSchemeOfItsTypeOrOfTheDeclaration(
            String key, String scheme, String query, String expected, String prefix) {
        ann.put(WORKOUTS, "{\"key\":\"" + key + "\",\"scheme\":\"" + scheme + "\"}");
        for (int i = 0; i < 3; i++) {
            Reply made = ann.post(RECORDS + "?" + query, "1");
            assertThat(made.status()).as(made.text()).isEqualTo(201);
            assertThat(made.text("id")).startsWith(prefix);
            assertThat(IdSchemes.named(expected)
                            .orElseThrow()
                            .isValid(made.text("id").substring(prefix.length())))
                    .isTrue();
        }
    }

    @Test
    void idThatBecomesTooLong_orCannotBeMinted_isRejected() {
        ann.put(WORKOUTS, "{\"key\":\"{kind:word}-{id}\"}");
        assertThat(ann.post(RECORDS + "?kind=" + "k".repeat(237), "1").status()).isEqualTo(201);
        assertInvalidId(ann.post(RECORDS + "?kind=" + "k".repeat(238), "1"), "id");
        ann.put("/v1/collections/days", "{\"key\":\"{day:day-nonce}\"}");
        assertInvalidId(ann.post("/v1/collections/days/records", "1"), "day");
        ann.put("/v1/collections/hex", "{\"key\":\"{h:hex}\"}");
        assertInvalidId(ann.post("/v1/collections/hex/records", "1"), "h");
        assertThat(ann.post("/v1/collections/hex/records?scheme=uuid4s", "1").status())
                .isEqualTo(201);
    }

    static Stream<List<String>> malformed() {
        String a255 = "a".repeat(255);
        return Stream.of(
                List.of("ambiguous_template", "key", "{\"key\":\"{a}-{b}\"}"),
                List.of("ambiguous_template", "key", "{\"key\":\"{a:tid62}{b:hex}{c:hex}\"}"),
                List.of("ambiguous_template", "indexes.i", "{\"key\":\"{a:hex}-{b}\",\"indexes\":{\"i\":\"{b}-{a}\"}}"),
                List.of("invalid_field", "key", "{\"key\":\"\"}"),
                List.of("invalid_field", "key", "{\"key\":\"constant\"}"),
                List.of("invalid_field", "key", "{\"key\":1}"),
                List.of("invalid_field", "key", "{\"key\":\"{a:snowflake}\"}"),
                List.of("invalid_field", "key", "{\"key\":\"{a:hex}:{b:hex}\"}"),
                List.of("invalid_field", "key", "{\"key\":\"USR={a:hex}\"}"),
                List.of("invalid_field", "key", "{\"key\":\"{a:hex}-{a:hex}\"}"),
                List.of("invalid_field", "key", "{\"key\":\"{a\"}"),
                List.of("invalid_field", "key", "{\"key\":\"{}\"}"),
                List.of("invalid_field", "key", "{\"key\":\"{é}\"}"),
                List.of("invalid_field", "key", "{\"key\":\"{prefix:word}-{id}\"}"),
                List.of("invalid_field", "key", "{\"key\":\"{after}\"}"),
                List.of("invalid_field", "key", "{\"key\":\"{limit}\"}"),
                List.of("invalid_field", "key", "{\"key\":\"{scheme}\"}"),
                List.of("invalid_field", "key", "{\"key\":\"" + a255 + "{a}\"}"),
                List.of(
                        "invalid_field",
                        "key",
                        "{\"key\":\"{a:uuid4}{b:uuid4}{c:uuid4}{d:uuid4}{e:uuid4}{f:uuid4}{g:uuid4}{h:uuid4}\"}"),
                List.of("invalid_field", "scheme", "{\"scheme\":\"snowflake\"}"),
                List.of("invalid_field", "scheme", "{\"scheme\":\"day-nonce\"}"),
                List.of("invalid_field", "scheme", "{\"scheme\":[]}"),
                List.of("invalid_field", "indexes", "{\"indexes\":[]}"),
                List.of("invalid_field", "indexes", "{\"indexes\":{\"\":\"{id}\"}}"),
                List.of("invalid_field", "indexes", "{\"indexes\":{\"a.b\":\"{id}\"}}"),
                List.of("invalid_field", "indexes", "{\"indexes\":{\"" + "n".repeat(61) + "\":\"{id}\"}}"),
                List.of(
                        "invalid_field",
                        "indexes",
                        "{\"indexes\":{\"1\":0,\"2\":0,\"3\":0,\"4\":0,\"5\":0,\"6\":0,\"7\":0,\"8\":0,\"9\":0}}"),
                List.of("invalid_field", "indexes.i", "{\"indexes\":{\"i\":null}}"),
                List.of("invalid_field", "indexes.i", "{\"indexes\":{\"i\":\"" + a255 + "{id}\"}}"),
                List.of("invalid_field", "indexes.i", "{\"indexes\":{\"i\":\"{other}\"}}"),
                List.of("invalid_field", "indexes.i", "{\"indexes\":{\"i\":\"{id:tid62}\"}}"),
                List.of("invalid_field", "indexes.i", "{\"indexes\":{\"i\":\"{id}\"}}"),
                List.of("invalid_field", "indexes.j", "{\"indexes\":{\"i\":\"x{id}\",\"j\":\"x{id:text}\"}}"));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void malformedDeclaration_isRejectedByItsField(List<String> malformed) {
        Reply reply = ann.put(WORKOUTS, malformed.get(2));
        assertProblem(reply, 400, malformed.get(0));
        assertThat(reply.text("field")).isEqualTo(malformed.get(1));
        assertThat(reply.text("detail")).startsWith(malformed.get(1) + " ");
        assertProblem(ann.get(WORKOUTS), 404, "not_found");
    }

    @Test
    void bodyThatIsNoObject_isInvalid() {
        for (String body : List.of("", "[]", "1", "{", "{\"key\":\"{id}\",\"key\":\"{id}\"}")) {
            assertProblem(ann.put(WORKOUTS, body), 400, "invalid_json");
        }
        assertThat(ann.put(WORKOUTS, "{\"key\":null,\"scheme\":null,\"indexes\":null}")
                        .status())
                .isEqualTo(201);
        assertThat(ann.get(WORKOUTS).text("key")).isEqualTo("{id}");
    }

    @Test
    void retryWithTheKey_happensOnce() {
        assertReplayed(
                ann.put(WORKOUTS, DECLARATION, "Idempotency-Key", "k"),
                ann.put(WORKOUTS, DECLARATION, "Idempotency-Key", "k"));
        assertThat(ann.put(WORKOUTS, "{}", "Idempotency-Key", "k").status()).isEqualTo(422);
        String user = id();
        assertReplayed(
                ann.post(RECORDS + "?user=" + user, "1", "Idempotency-Key", "k"),
                ann.post(RECORDS + "?user=" + user, "1", "Idempotency-Key", "k"));
        assertThat(column(ann.get(RECORDS), "id")).hasSize(1);
        assertProblem(ann.put(WORKOUTS, "{}", "Idempotency-Key", "other"), 409, "collection_in_use");
        ann.delete(RECORDS + "/" + column(ann.get(RECORDS), "id").get(0));
        assertThat(ann.put(WORKOUTS, "{}", "Idempotency-Key", "other").status()).isEqualTo(201);
        assertReplayed(ann.delete(WORKOUTS, "Idempotency-Key", "d"), ann.delete(WORKOUTS, "Idempotency-Key", "d"));
    }
}
