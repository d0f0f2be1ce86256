package dev.semel.server.apps.reputation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.DocumentCollection;
import dev.semel.document.Transactions;
import dev.semel.id.IdSchemes;
import dev.semel.json.Json;
import dev.semel.memory.MemoryStore;
import dev.semel.server.AppDriver;
import dev.semel.server.AppDriver.Reply;
import dev.semel.server.Apps;
import dev.semel.server.ServerFixture;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.Time;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.DocumentStore.Scan;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.ForwardingStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class ReputationTest {

    private final ReadCounter store = new ReadCounter(new MemoryStore());
    private final AppDriver app = new AppDriver(new Transactions(store, Time.system()), new Reputation(store, false));

    /** Counts the documents that are read from a store. */
    private static final class ReadCounter extends ForwardingStore {

        private final AtomicInteger documents = new AtomicInteger();

        ReadCounter(DocumentStore store) {
            super(store);
        }

        @Override
        public Optional<Document> read(DocumentId id) {
            documents.incrementAndGet();
            return super.read(id);
        }

        @Override
        public List<Document> scan(Scan scan) {
            List<Document> found = super.scan(scan);
            documents.addAndGet(found.size());
            return found;
        }
    }

    private String vote(String user, String tag, String target) {
        return app.post(
                        "ann",
                        "/v1/documents/votes",
                        "{\"user\":\"%s\",\"tag\":\"%s\",\"target\":\"%s\",\"data\":{}}".formatted(user, tag, target))
                .at("key")
                .stringValue();
    }

    @Test
    void votesOfAUserOrForATarget_areReadAloneAndInKeyOrder() {
        String user = IdSchemes.UUID4S.mint();
        String tag = IdSchemes.UUID4S.mint();
        String target = IdSchemes.UUID4S.mint();
        List<String> given = new ArrayList<>();
        List<String> received = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            given.add(vote(user, tag, IdSchemes.UUID4S.mint()));
            received.add(vote(IdSchemes.UUID4S.mint(), tag, target));
            vote(user, IdSchemes.UUID4S.mint(), target);
        }
        for (String query : List.of("user=" + user + "&tag=" + tag, "tag=" + tag + "&target=" + target)) {
            List<String> expected = query.startsWith("user") ? given : received;
            expected.sort(null);
            store.documents.set(0);
            Reply page = app.get("ann", "/v1/documents/votes?" + query + "&limit=20");
            assertThat(keys(page)).isEqualTo(expected.subList(0, 20));
            assertThat(store.documents.get()).isLessThanOrEqualTo(21);

            Reply rest = app.get(
                    "ann",
                    "/v1/documents/votes?" + query + "&limit=1000&after="
                            + page.at("next").stringValue());
            assertThat(keys(rest)).isEqualTo(expected.subList(20, 100));
            assertThat(rest.at("next").isNull()).isTrue();
        }
    }

    /** The number of documents that a query reads is that of its page, however many other documents share some of its parts. */
    @ParameterizedTest
    @CsvSource({"tags, user", "tags, tag", "reputations, user", "reputations, tag"})
    void tagsAndReputationsOfAUserOrTag_areReadAlone(String type, String part) {
        String wanted = IdSchemes.UUID4S.mint();
        for (int i = 0; i < 30; i++) {
            pair(type, part, wanted);
        }
        List<String> first = new ArrayList<>();
        for (int others : new int[] {0, 1_000}) {
            for (int i = 0; i < others; i++) {
                pair(type, part, IdSchemes.UUID4S.mint());
            }
            store.documents.set(0);
            Reply page = app.get("ann", "/v1/documents/" + type + "?" + part + "=" + wanted + "&limit=20");
            assertThat(keys(page)).hasSize(20);
            assertThat(store.documents).hasValue(21);
            assertThat(first.isEmpty() || first.equals(keys(page))).isTrue();
            first = keys(page);
        }
    }

    private void pair(String type, String part, String value) {
        String other = part.equals("user") ? "tag" : "user";
        Reply made = app.post(
                "ann",
                "/v1/documents/" + type,
                "{\"%s\":\"%s\",\"%s\":\"%s\",\"data\":{}}".formatted(part, value, other, IdSchemes.UUID4S.mint()));
        assertThat(made.status()).isEqualTo(201);
    }

    private static List<String> keys(Reply page) {
        List<String> keys = new ArrayList<>();
        for (JsonNode item : page.at("items")) {
            keys.add(item.get("key").stringValue());
        }
        return keys;
    }

    @Test
    void putsAtTheSameMoment_areAllSeen() throws Exception {
        String key = "usr_" + IdSchemes.UUID4S.mint() + "_tag_" + IdSchemes.UUID4S.mint();
        List<Reply> replies = AppDriver.race(
                16, thread -> app.send("ann", "PUT", "/v1/documents/reputations/" + key, "{\"data\":" + thread + "}"));
        assertThat(replies).extracting(Reply::status).containsOnlyOnce(201).contains(200);
        assertThat(replies)
                .extracting(reply -> reply.at("version").intValue())
                .containsExactlyInAnyOrder(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    }

    @Test
    void postsOfOneReputationAtOnce_makeOne() throws Exception {
        String body = "{\"user\":\"%s\",\"tag\":\"%s\",\"data\":1}"
                .formatted(IdSchemes.UUID4S.mint(), IdSchemes.UUID4S.mint());
        List<Reply> replies = AppDriver.race(16, thread -> app.post("ann", "/v1/documents/reputations", body));
        assertThat(replies).extracting(Reply::status).containsOnlyOnce(201).contains(409);
    }

    /** A store in which another client always writes first. */
    private static final class Quicker extends ForwardingStore {

        private static final DocumentCollection RIVAL = DocumentCollection.of("documents/users", DocumentKeys.USER);

        private final Transactions rival;
        private final AtomicInteger commits = new AtomicInteger();
        private volatile boolean isActive = true;

        Quicker(DocumentStore store, Time time) {
            super(store);
            this.rival = new Transactions(store, time);
        }

        /** Writes a document without a conflict. */
        void write(String key) {
            RIVAL.upsert(rival, key, current -> Json.of("0"));
        }

        @Override
        public CommitResult commit(Commit commit) {
            commit.preconditions().keySet().stream()
                    .filter(id -> isActive && id.collection().equals(RIVAL.collection()))
                    .forEach(id -> {
                        commits.incrementAndGet();
                        write(id.key());
                    });
            return super.commit(commit);
        }
    }

    @Test
    void putThatConflictsEachTime_getsTheVersionAfterThreeRetries() {
        assertToldAfterThreeMoreTries();
    }

    @Test
    void keyedPutThatConflictsEachTime_getsTheVersionAfterThreeRetries() {
        assertToldAfterThreeMoreTries("Idempotency-Key", "k");
    }

    @Test
    void putOfAVersionThatConflicts_getsTheCurrentVersionAtOnce() {
        assertStaleAtOnce();
    }

    @Test
    void keyedPutOfAVersionThatConflicts_getsTheCurrentVersionAtOnce_andMayBeRetried() {
        assertStaleAtOnce("Idempotency-Key", "k");
    }

    /** The conflict is at the commit: when the document is read, it still has the version. */
    private static void assertStaleAtOnce(String... headers) {
        ControlledTime time = new ControlledTime();
        Quicker quicker = new Quicker(new MemoryStore(time, 1 << 20), time);
        try (ServerFixture server = ServerFixture.on(quicker, time, Apps::all)) {
            String path = "/v1/documents/users/usr_" + IdSchemes.UUID4S.mint();
            quicker.write(path.substring(path.lastIndexOf('/') + 1));
            String[] conditional = Stream.concat(Stream.of("If-Match", "\"1\""), Stream.of(headers))
                    .toArray(String[]::new);
            Instant before = time.instant();
            ServerFixture.Reply reply = server.as("ann").put(path, "{\"data\":1}", conditional);
            assertThat(reply.status() + " " + reply.text("error")).isEqualTo("412 stale_version");
            assertThat(reply.text("version")).isEqualTo("2");
            assertThat(quicker.commits).hasValue(1);
            assertThat(time.instant()).isEqualTo(before);
            if (headers.length > 0) {
                conditional[1] = "*";
                quicker.isActive = false;
                assertThat(server.as("ann")
                                .put(path, "{\"data\":1}", conditional)
                                .status())
                        .isEqualTo(200);
            }
        }
    }

    private static void assertToldAfterThreeMoreTries(String... headers) {
        ControlledTime time = new ControlledTime();
        Quicker quicker = new Quicker(new MemoryStore(time, 1 << 20), time);
        try (ServerFixture server = ServerFixture.on(quicker, time, Apps::all)) {
            Instant before = time.instant();
            ServerFixture.Reply reply =
                    server.as("ann").put("/v1/documents/users/usr_" + IdSchemes.UUID4S.mint(), "{\"data\":1}", headers);
            assertThat(reply.status() + " " + reply.text("error")).isEqualTo("409 version_conflict");
            assertThat(reply.text("version")).isEqualTo("4");
            assertThat(quicker.commits).hasValue(4);
            assertThat(time.instant()).isEqualTo(before.plusMillis(700));
        }
    }
}
