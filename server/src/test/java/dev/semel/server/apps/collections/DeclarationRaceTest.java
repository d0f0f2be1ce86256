package dev.semel.server.apps.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.document.Transactions;
import dev.semel.memory.MemoryStore;
import dev.semel.server.AppDriver;
import dev.semel.server.AppDriver.Reply;
import dev.semel.server.EndToEnd;
import dev.semel.store.Document;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.testkit.ForwardingStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** A declaration that changes while documents are created. */
class DeclarationRaceTest {

    private static final String COLLECTION = "/v1/collections/c";
    private static final String RECORDS = COLLECTION + "/records";
    private static final String INDEXED = "{\"key\":\"{a:hex}-{b:hex}\",\"indexes\":{\"by_b\":\"{b}-{a}\"}}";
    private static final String NOT_INDEXED = "{\"key\":\"{a:hex}-{b:hex}\"}";
    private static final String OTHER = "{\"key\":\"x_{n:hex}\"}";

    private static final int CREATORS = 4;
    private static final int DECLARERS = 2;
    private static final int ROUNDS = 60;

    private final AtomicInteger created = new AtomicInteger();
    private final AtomicInteger changed = new AtomicInteger();

    private static AppDriver app(ForwardingStore store) {
        Transactions transactions = new Transactions(store, Time.system());
        return new AppDriver(transactions, new Collections(transactions));
    }

    private static Reply declare(AppDriver app, String declaration) {
        return app.send("ann", "PUT", COLLECTION, declaration);
    }

    private static Reply create(AppDriver app, String id) {
        return app.send("ann", "PUT", RECORDS + "/" + id, "1", "If-None-Match", "*");
    }

    private static Reply delete(AppDriver app, String id) {
        return app.send("ann", "DELETE", RECORDS + "/" + id, "");
    }

    /** Two servers, neither of which knows what the other has done. In each round, all start on an empty collection. */
    @ParameterizedTest
    @EnumSource(EndToEnd.On.class)
    void documents_matchTheDeclaration_asLongAsTheyExist(EndToEnd.On on, @TempDir Path folder) throws Exception {
        try (ForwardingStore store = on.open(folder.resolve("store"))) {
            List<AppDriver> servers = List.of(app(store), app(store));
            for (int round = 0; round < ROUNDS; round++) {
                AtomicInteger creating = new AtomicInteger(CREATORS);
                Random random = new Random(round);
                int first = round * CREATORS;
                AppDriver.race(CREATORS + DECLARERS, thread -> {
                    AppDriver server = servers.get(thread % 2);
                    if (thread < CREATORS) {
                        createAndCheck(server, random.nextBoolean(), first + thread);
                        creating.decrementAndGet();
                    } else {
                        changeOnce(server, random, creating);
                    }
                    return thread;
                });
            }
            assertThat(created.get()).isGreaterThanOrEqualTo(ROUNDS);
            assertThat(changed.get()).isGreaterThanOrEqualTo(ROUNDS / 2);
        }
    }

    /** Tries until it succeeds, or nothing is created any more. */
    private void changeOnce(AppDriver server, Random random, AtomicInteger creating) {
        boolean isLast;
        int status;
        do {
            isLast = creating.get() == 0;
            String declaration = List.of(INDEXED, NOT_INDEXED, OTHER, "").get(random.nextInt(4));
            Reply reply =
                    declaration.isEmpty() ? server.send("ann", "DELETE", COLLECTION, "") : declare(server, declaration);
            status = reply.status();
            assertThat(status).as(reply.text()).isIn(200, 201, 204, 404, 409);
        } while (status != 201 && status != 204 && !isLast);
        changed.addAndGet(status == 201 || status == 204 ? 1 : 0);
    }

    /** While its document exists, the collection cannot be declared differently. */
    private void createAndCheck(AppDriver server, boolean isOther, int number) {
        String hex = Integer.toHexString(number);
        String id = isOther ? "x_" + hex : "a-" + hex;
        Reply reply = create(server, id);
        if (reply.status() == 400) {
            assertThat(reply.at("code").stringValue()).isEqualTo("invalid_id");
            return;
        }
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        JsonNode collection = server.get("ann", COLLECTION).json();
        String key = collection.path("key").asString("");
        assertThat(key).isIn("", isOther ? "x_{n:hex}" : "{a:hex}-{b:hex}");
        if (collection.path("indexes").has("by_b")) {
            JsonNode found = server.get("ann", RECORDS + "?b=" + hex).at("items");
            assertThat(found.size()).as(id).isEqualTo(1);
            assertThat(found.get(0).get("id").stringValue()).isEqualTo(id);
        }
        assertThat(server.get("ann", RECORDS + "/" + id).status()).isEqualTo(200);
        assertThat(delete(server, id).status()).isEqualTo(204);
        created.incrementAndGet();
    }

    /** A memory store with something that happens before or after its calls. */
    private static final class Interrupted extends ForwardingStore {

        private int scans;
        private Runnable afterScan = () -> {};
        private Runnable beforeWrite = () -> {};
        private int commitsUntilCrash = Integer.MAX_VALUE;

        Interrupted() {
            super(new MemoryStore());
        }

        void afterScan(int number, Runnable task) {
            scans = number;
            afterScan = task;
        }

        @Override
        public List<Document> scan(Scan scan) {
            List<Document> found = super.scan(scan);
            if (--scans == 0) {
                afterScan.run();
            }
            return found;
        }

        @Override
        public CommitResult commit(Commit commit) {
            Runnable task = beforeWrite;
            beforeWrite = () -> {};
            task.run();
            if (commitsUntilCrash-- <= 0) {
                throw StoreException.rejected("The server has crashed");
            }
            return super.commit(commit);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void documentCreatedAfterTheScan_preventsTheChange(int scan) {
        Interrupted store = new Interrupted();
        AppDriver app = app(store);
        declare(app, INDEXED);
        create(app, "a-1");
        delete(app, "a-1");
        store.afterScan(
                scan, () -> assertThat(create(app(store), "a-2").status()).isEqualTo(201));
        Reply reply = declare(app, OTHER);
        assertThat(reply.status()).isEqualTo(409);
        assertThat(reply.at("code").stringValue()).isEqualTo("collection_in_use");
        assertThat(app.get("ann", COLLECTION).at("key").stringValue()).isEqualTo("{a:hex}-{b:hex}");
        assertThat(app.get("ann", RECORDS + "?b=2").at("items").size()).isEqualTo(1);
        assertThat(create(app, "a-3").status()).isEqualTo(201);
    }

    @Test
    void firstDocument_preventsTheFirstDeclaration_ifItIsCreatedAfterTheScan() {
        Interrupted store = new Interrupted();
        AppDriver app = app(store);
        store.afterScan(
                1, () -> assertThat(create(app(store), "anything").status()).isEqualTo(201));
        assertThat(declare(app, INDEXED).status()).isEqualTo(409);
        assertThat(app.get("ann", COLLECTION).at("declared").booleanValue()).isFalse();
    }

    @Test
    void changeOfADeclaration_whileADocumentIsCreated_makesTheCreationFollowIt() {
        Interrupted store = new Interrupted();
        AppDriver app = app(store);
        declare(app, OTHER);
        create(app, "x_1");
        delete(app, "x_1");
        AppDriver another = app(store);
        store.beforeWrite = () -> assertThat(declare(another, INDEXED).status()).isEqualTo(201);
        Reply reply = create(app, "x_2");
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.at("code").stringValue()).isEqualTo("invalid_id");
        store.beforeWrite =
                () -> assertThat(declare(another, NOT_INDEXED).status()).isEqualTo(201);
        assertThat(create(app, "a-1").status()).isEqualTo(201);
        assertThat(app.get("ann", RECORDS + "?b=1").status()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void serverThatCrashesDuringAChange_leavesTheOldDeclaration(int commits) {
        Interrupted store = new Interrupted();
        AppDriver app = app(store);
        declare(app, INDEXED);
        create(app, "a-1");
        delete(app, "a-1");
        store.commitsUntilCrash = commits;
        assertThatThrownBy(() -> declare(app, OTHER)).hasMessageContaining("crashed");
        store.commitsUntilCrash = Integer.MAX_VALUE;
        AppDriver restarted = app(store);
        assertThat(restarted.get("ann", COLLECTION).at("key").stringValue()).isEqualTo("{a:hex}-{b:hex}");
        assertThat(create(restarted, "x_1").status()).isEqualTo(400);
        assertThat(create(restarted, "a-2").status()).isEqualTo(201);
        assertThat(restarted.get("ann", RECORDS + "?b=2").at("items").size()).isEqualTo(1);
        assertThat(declare(restarted, OTHER).status()).isEqualTo(409);
        delete(restarted, "a-2");
        assertThat(declare(restarted, OTHER).status()).isEqualTo(201);
        assertThat(create(restarted, "x_1").status()).isEqualTo(201);
    }

    /** An app that has read the collection before another user's erasure, or another server's deletion. */
    @Test
    void collectionThatAnotherServerHasDeleted_isUndeclared() {
        Interrupted store = new Interrupted();
        AppDriver app = app(store);
        declare(app, INDEXED);
        create(app, "a-1");
        delete(app, "a-1");
        assertThat(app(store).send("ann", "DELETE", COLLECTION, "").status()).isEqualTo(204);
        assertThat(create(app, "anything").status()).isEqualTo(201);
        assertThat(app.get("ann", COLLECTION).at("declared").booleanValue()).isFalse();
    }
}
