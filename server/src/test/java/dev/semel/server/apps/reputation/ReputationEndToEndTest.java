package dev.semel.server.apps.reputation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.DocumentCollection;
import dev.semel.document.Transactions;
import dev.semel.id.IdSchemes;
import dev.semel.json.Json;
import dev.semel.server.AppDriver;
import dev.semel.server.EndToEnd;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.store.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReputationEndToEndTest extends EndToEnd {

    private static final String DOCUMENTS = "/v1/documents/";
    private static final String V4 = "67e5504410b1426f9247bb680e5fe0c8";

    ReputationEndToEndTest(On on) {
        super(on);
    }

    private static String uuid() {
        return IdSchemes.UUID4S.mint();
    }

    private static Reply create(String type, String members) {
        return as("ann").post(DOCUMENTS + type, "{" + members + "\"data\":{\"n\": 1.10}}");
    }

    private static String part(String name, String value) {
        return "\"" + name + "\":\"" + value + "\",";
    }

    @Test
    void keysOfTheFourTypes_areMadeOfTheirParts() {
        String user = uuid();
        String tag = uuid();
        String target = uuid();
        String pair = part("user", user) + part("tag", tag);
        assertThat(create("users", "").text("key")).matches("usr_[0-9a-f]{32}");
        assertThat(create("users", part("user", user)).text("key")).isEqualTo("usr_" + user);
        assertThat(create("tags", part("user", user)).text("key")).matches("usr_" + user + "_tag_[0-9a-f]{32}");
        assertThat(create("tags", pair).text("key")).isEqualTo("usr_" + user + "_tag_" + tag);
        assertThat(create("reputations", pair).text("key")).isEqualTo("usr_" + user + "_tag_" + tag);
        String vote = "usr_" + user + "_tag_" + tag + "_tar_" + target + "_key_";
        assertThat(create("votes", pair + part("target", target)).text("key")).matches(vote + "[0-9a-f]{32}");
        assertThat(create("votes", pair + part("target", target) + part("key", V4))
                        .text("key"))
                .isEqualTo(vote + V4);
    }

    @Test
    void document_isCreatedOnceAndRead() {
        String user = uuid();
        Reply made = create("users", part("user", user));
        assertThat(made.status()).isEqualTo(201);
        assertThat(made.json().propertyNames()).startsWith("key", "version", "data");
        assertThat(made.text("version")).isEqualTo("1");
        assertThat(made.text()).contains("\"data\":{\"n\": 1.10}");
        assertThat(as("bob").get(DOCUMENTS + "users/usr_" + user).text()).isEqualTo(made.text());
        Reply taken = create("users", part("user", user));
        assertProblem(taken, 409, "key_taken");
        assertThat(taken.text("error")).isEqualTo("key_taken");
        assertProblem(as("bob").get(DOCUMENTS + "users/usr_" + uuid()), 404, "not_found");
    }

    @Test
    void put_createsOrUpdates() {
        String path = DOCUMENTS + "reputations/usr_" + uuid() + "_tag_" + uuid();
        Reply made = as("ann").put(path, "{\"data\":1}");
        assertThat(made.status() + " " + made.text("version")).isEqualTo("201 1");
        Reply updated = as("bob").put(path, "{\"data\":2}");
        assertThat(updated.status() + " " + updated.text("version")).isEqualTo("200 2");
        assertThat(as("ann").get(path).text("data")).isEqualTo("2");
    }

    @Test
    void putsAtOnce_loseNothing() throws Exception {
        String path = DOCUMENTS + "reputations/usr_" + uuid() + "_tag_" + uuid();
        List<Reply> replies = AppDriver.race(8, thread -> as("ann").put(path, "{\"data\":" + thread + "}"));
        List<Reply> written =
                replies.stream().filter(reply -> reply.status() < 300).toList();
        assertThat(replies)
                .allMatch(reply -> reply.status() < 300 || reply.text("code").equals("version_conflict"));
        assertThat(written)
                .extracting(reply -> reply.json().get("version").asInt())
                .doesNotHaveDuplicates();
        assertThat(as("ann").get(path).json().get("version").asInt()).isEqualTo(written.size());
    }

    @Test
    void votes_areFoundByGiverAndByTarget() {
        String user = uuid();
        String tag = uuid();
        String target = uuid();
        List<String> given = new ArrayList<>();
        List<String> received = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            given.add(create("votes", part("user", user) + part("tag", tag) + part("target", uuid()))
                    .text("key"));
            received.add(create("votes", part("user", uuid()) + part("tag", tag) + part("target", target))
                    .text("key"));
            create("votes", part("user", user) + part("tag", uuid()) + part("target", target));
        }
        given.sort(null);
        received.sort(null);
        assertThat(allPages(as("bob"), DOCUMENTS + "votes?user=" + user + "&tag=" + tag, 3, "key"))
                .isEqualTo(given);
        assertThat(allPages(as("bob"), DOCUMENTS + "votes?tag=" + tag + "&target=" + target, 3, "key"))
                .isEqualTo(received);
        assertThat(as("bob")
                        .get(DOCUMENTS + "votes?user=" + uuid() + "&tag=" + tag)
                        .text())
                .isEqualTo("{\"items\":[],\"next\":null}");
    }

    @Test
    void tagsAndReputations_areFoundByUserAndByTag() {
        for (String type : List.of("tags", "reputations")) {
            String user = uuid();
            String tag = uuid();
            List<String> ofUser = new ArrayList<>();
            List<String> ofTag = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
                ofUser.add(
                        create(type, part("user", user) + part("tag", uuid())).text("key"));
                ofTag.add(create(type, part("user", uuid()) + part("tag", tag)).text("key"));
            }
            String both = create(type, part("user", user) + part("tag", tag)).text("key");
            ofUser.add(both);
            ofTag.add(both);
            ofUser.sort(null);
            ofTag.sort(null);
            assertThat(allPages(as("bob"), DOCUMENTS + type + "?user=" + user, 3, "key"))
                    .isEqualTo(ofUser);
            assertThat(allPages(as("bob"), DOCUMENTS + type + "?tag=" + tag, 3, "key"))
                    .isEqualTo(ofTag);
            assertThat(allPages(as("bob"), DOCUMENTS + type + "?tag=" + tag + "&user=" + user, 3, "key"))
                    .containsExactly(both);
            assertThat(as("bob").get(DOCUMENTS + type + "?tag=" + uuid()).text())
                    .isEqualTo("{\"items\":[],\"next\":null}");
        }
    }

    @Test
    void usersAndVotes_areFoundByEveryLeadingPart() {
        String user = uuid();
        String tag = uuid();
        String target = uuid();
        String userKey = create("users", part("user", user)).text("key");
        assertThat(column(as("bob").get(DOCUMENTS + "users?user=" + user), "key"))
                .containsExactly(userKey);
        String vote = create("votes", part("user", user) + part("tag", tag) + part("target", target) + part("key", V4))
                .text("key");
        for (String query : List.of(
                "user=" + user,
                "tag=" + tag,
                "user=" + user + "&tag=" + tag + "&target=" + target,
                "user=" + user + "&tag=" + tag + "&target=" + target + "&key=" + V4)) {
            assertThat(column(as("bob").get(DOCUMENTS + "votes?" + query), "key"))
                    .as(query)
                    .containsExactly(vote);
        }
    }

    @Test
    void documentWrittenBeforeTheIndex_isFoundByItAfterItsNextWrite() {
        DocumentCollection withoutIndex = DocumentCollection.of("documents/tags", DocumentKeys.TAG);
        String user = uuid();
        String tag = uuid();
        String key = "usr_" + user + "_tag_" + tag;
        new Transactions(store(), Time.system()).run(tx -> withoutIndex.create(tx, key, Json.of("1")));

        assertThat(column(as("ann").get(DOCUMENTS + "tags?user=" + user), "key"))
                .containsExactly(key);
        assertThat(column(as("ann").get(DOCUMENTS + "tags?tag=" + tag), "key")).isEmpty();
        assertThat(as("ann").put(DOCUMENTS + "tags/" + key, "{\"data\":2}").text("version"))
                .isEqualTo("2");
        assertThat(column(as("ann").get(DOCUMENTS + "tags?tag=" + tag), "key")).containsExactly(key);
    }

    @Test
    void queryThatNoIndexServes_isRejectedWithThosePossible() {
        assertNotScannable("users", "The query is empty; documents are listed by user");
        String tags = "The query is empty; documents are listed by user, by user and tag, by tag";
        assertNotScannable("tags?limit=5", tags);
        assertNotScannable("reputations", tags);
        String votes = "; documents are listed by user, by user and tag, by user and tag and target,"
                + " by user and tag and target and key, by tag, by tag and target";
        assertNotScannable("votes", "The query is empty" + votes);
        assertNotScannable("votes?target=" + V4, "No key or index starts with \"target\"" + votes);
        assertNotScannable(
                "votes?user=" + V4 + "&target=" + V4, "No key or index starts with \"user\" and \"target\"" + votes);
        assertNotScannable("votes?key=" + V4, "No key or index starts with \"key\"" + votes);
    }

    private static void assertNotScannable(String query, String detail) {
        Reply reply = as("ann").get(DOCUMENTS + query);
        assertProblem(reply, 400, "not_scannable");
        assertThat(reply.text("error")).isEqualTo("not_scannable");
        assertThat(reply.text("detail")).isEqualTo(detail);
        assertThat(reply.json().get("scannable").get(0).get(0).stringValue()).isEqualTo("user");
    }

    @Test
    void malformedQuery_isRejectedByPart() {
        assertInvalid(as("ann").get(DOCUMENTS + "tags?user=" + V4 + "&target=" + V4), "target");
        assertInvalid(as("ann").get(DOCUMENTS + "users?tag=" + V4), "tag");
        assertInvalid(as("ann").get(DOCUMENTS + "reputations?key=" + V4), "key");
        assertInvalid(as("ann").get(DOCUMENTS + "reputations?tag=" + V4.toUpperCase(Locale.ROOT)), "tag");
        assertInvalid(as("ann").get(DOCUMENTS + "tags?tag="), "tag");
        assertProblem(as("ann").get(DOCUMENTS + "nonsense?tag=" + V4), 404, "not_found");
        assertThat(asNobody().get(DOCUMENTS + "tags?tag=" + V4).status()).isEqualTo(401);
        String next = as("ann")
                .get(DOCUMENTS + "tags?user=" + twoTagsOfAUser() + "&limit=1")
                .text("next");
        assertInvalid(as("ann").get(DOCUMENTS + "tags?tag=" + V4 + "&after=" + next), "after");
        assertInvalid(as("ann").get(DOCUMENTS + "tags?user=" + V4 + "&limit=1001"), "limit");
        assertInvalid(as("ann").get(DOCUMENTS + "votes?user=x&tag=" + V4), "user");
        assertInvalid(as("ann").get(DOCUMENTS + "votes?tag=" + V4 + "&target="), "target");
        assertInvalid(as("ann").get(DOCUMENTS + "votes?user=" + V4 + "&tag=" + V4 + "&after=x"), "after");
        assertInvalid(as("ann").get(DOCUMENTS + "votes?user=" + V4 + "&tag=" + V4 + "&limit=0"), "limit");
    }

    private static String twoTagsOfAUser() {
        String user = uuid();
        create("tags", part("user", user));
        create("tags", part("user", user));
        return user;
    }

    @Test
    void putWithIfMatch_updatesThatVersionOnly() {
        String path = DOCUMENTS + "reputations/usr_" + uuid() + "_tag_" + uuid();
        assertStale(as("ann").put(path, "{\"data\":1}", "If-Match", "\"1\""), 0);
        assertStale(as("ann").put(path, "{\"data\":1}", "If-Match", "*"), 0);
        assertThat(as("ann").get(path).status()).isEqualTo(404);

        assertTag(as("ann").put(path, "{\"data\":1}"), 201, "\"1\"");
        assertTag(as("bob").put(path, "{\"data\":2}", "If-Match", "\"1\""), 200, "\"2\"");
        assertStale(as("ann").put(path, "{\"data\":3}", "If-Match", "\"1\""), 2);
        assertStale(as("ann").put(path, "{\"data\":3}", "If-Match", "W/\"2\""), 2);
        assertTag(as("ann").get(path), 200, "\"2\"");
        assertThat(as("ann").get(path).text("data")).isEqualTo("2");
        assertTag(as("ann").put(path, "{\"data\":3}", "If-Match", "\"7\", \"2\""), 200, "\"3\"");
        assertTag(as("ann").put(path, "{\"data\":4}", "If-Match", " * "), 200, "\"4\"");
        for (String malformed : List.of("x", "\"4", "\"4\",", "")) {
            assertInvalid(as("ann").put(path, "{\"data\":5}", "If-Match", malformed), "If-Match");
        }
        assertThat(as("ann").get(path).text("version")).isEqualTo("4");
    }

    @Test
    void putWithIfNoneMatch_neverUpdates() {
        String path = DOCUMENTS + "reputations/usr_" + uuid() + "_tag_" + uuid();
        assertTag(as("ann").put(path, "{\"data\":1}", "If-None-Match", "*"), 201, "\"1\"");
        Reply taken = as("bob").put(path, "{\"data\":2}", "If-None-Match", "*");
        assertProblem(taken, 409, "key_taken");
        assertThat(taken.text("version")).isEqualTo("1");
        assertInvalid(as("bob").put(path, "{\"data\":2}", "If-None-Match", "\"1\""), "If-None-Match");
        assertInvalid(as("bob").put(path, "{\"data\":2}", "If-None-Match", "*", "If-Match", "\"1\""), "If-Match");
        assertThat(as("ann").get(path).text("data")).isEqualTo("1");
    }

    @Test
    void putsThatOnlyCreateAtOnce_makeOneDocument() throws Exception {
        String path = DOCUMENTS + "reputations/usr_" + uuid() + "_tag_" + uuid();
        List<Reply> replies =
                AppDriver.race(8, thread -> as("ann").put(path, "{\"data\":" + thread + "}", "If-None-Match", "*"));
        assertThat(replies).extracting(Reply::status).containsOnlyOnce(201);
        replies.stream()
                .filter(reply -> reply.status() != 201)
                .forEach(reply -> assertProblem(reply, 409, "key_taken"));
        assertThat(as("ann").get(path).text("version")).isEqualTo("1");
    }

    @Test
    void staleVersion_isNotRecordedUnderTheKey() {
        String path = DOCUMENTS + "reputations/usr_" + uuid() + "_tag_" + uuid();
        String key = "k" + uuid();
        assertStale(as("ann").put(path, "{\"data\":1}", "If-Match", "\"1\"", "Idempotency-Key", key), 0);
        as("ann").put(path, "{\"data\":0}");
        Reply first = as("ann").put(path, "{\"data\":1}", "If-Match", "\"1\"", "Idempotency-Key", key);
        assertTag(first, 200, "\"2\"");
        assertReplayed(first, as("ann").put(path, "{\"data\":1}", "If-Match", "\"1\"", "Idempotency-Key", key));
    }

    @Test
    void updatesOfOneVersionAtOnce_succeedOnce() throws Exception {
        String path = DOCUMENTS + "reputations/usr_" + uuid() + "_tag_" + uuid();
        as("ann").put(path, "{\"data\":0}");
        List<Reply> replies =
                AppDriver.race(8, thread -> as("ann").put(path, "{\"data\":" + thread + "}", "If-Match", "\"1\""));
        assertThat(replies).extracting(Reply::status).containsOnlyOnce(200);
        replies.stream().filter(reply -> reply.status() != 200).forEach(reply -> assertStale(reply, 2));
        assertThat(as("ann").get(path).text("version")).isEqualTo("2");
    }

    private static void assertTag(Reply reply, int status, String tag) {
        assertThat(reply.status() + " " + reply.header("ETag")).isEqualTo(status + " " + tag);
    }

    private static void assertStale(Reply reply, int version) {
        assertProblem(reply, 412, "stale_version");
        assertThat(reply.text("error")).isEqualTo("stale_version");
        assertThat(reply.json().get("version").asInt(-1)).isEqualTo(version);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "users|usr_b068e9ee1422edf7878440ab8b6|user",
                "users|usr_67e5504410b1126f9247bb680e5fe0c8|user",
                "tags|usr_67e5504410b1426f9247bb680e5fe0c8_tag_b068e9ee1422edf7878440ab8b6|tag",
                "votes|usr_67e5504410b1426f9247bb680e5fe0c8_tag_67e5504410b1426f9247bb680e5fe0c8_tar_x_key_y|target",
                "votes|USR_67e5504410b1426f9247bb680e5fe0c8|key",
                "users|nonsense|key"
            })
    void malformedKey_isRejectedByPart(String type, String key, String part) {
        assertInvalid(as("ann").get(DOCUMENTS + type + "/" + key), part);
        assertInvalid(as("ann").put(DOCUMENTS + type + "/" + key, "{\"data\":1}"), part);
    }

    @Test
    void malformedDocument_isRejectedByPart() {
        assertInvalid(create("users", part("user", V4.toUpperCase(Locale.ROOT))), "user");
        assertInvalid(create("users", "\"user\":7,"), "user");
        assertInvalid(create("tags", ""), "user");
        assertInvalid(create("reputations", part("user", V4)), "tag");
        assertInvalid(create("votes", part("user", V4) + part("tag", V4)), "target");
        assertInvalid(create("votes", part("user", V4) + part("tag", V4) + part("target", "x")), "target");
        assertInvalid(as("ann").post(DOCUMENTS + "users", "{}"), "data");
        assertInvalid(as("ann").put(DOCUMENTS + "users/usr_" + V4, "{}"), "data");
        assertProblem(as("ann").post(DOCUMENTS + "nonsense", "{\"data\":1}"), 404, "not_found");
        assertProblem(as("ann").get(DOCUMENTS + "nonsense/usr_" + V4), 404, "not_found");
        assertProblem(as("ann").put(DOCUMENTS + "users/usr_" + V4, "7"), 400, "invalid_json");
        assertThat(asNobody().post(DOCUMENTS + "users", "{\"data\":1}").status())
                .isEqualTo(401);
    }

    @Test
    void retryWithTheKey_happensOnce() {
        Reply first = as("ann").post(DOCUMENTS + "users", "{\"data\":1}", "Idempotency-Key", "k");
        assertReplayed(first, as("ann").post(DOCUMENTS + "users", "{\"data\":1.0}", "Idempotency-Key", "k"));
        String path = DOCUMENTS + "users/" + first.text("key");
        assertReplayed(
                as("ann").put(path, "{\"data\":2}", "Idempotency-Key", "k"),
                as("ann").put(path, "{\"data\":2}", "Idempotency-Key", "k"));
        assertThat(as("ann").get(path).text("version")).isEqualTo("2");
        assertThat(as("ann").put(path, "{\"data\":3}", "Idempotency-Key", "k").status())
                .isEqualTo(422);
    }
}
