package dev.semel.server.apps.tables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.Transactions;
import dev.semel.key.KeyRange;
import dev.semel.memory.MemoryStore;
import dev.semel.once.OnceListener;
import dev.semel.server.AppDriver;
import dev.semel.server.AppDriver.Reply;
import dev.semel.store.Time;
import dev.semel.store.admin.Sweeper;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.ForwardingStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TablesTest {

    private final ControlledTime time = new ControlledTime();
    private final Gate store = new Gate(new MemoryStore(time, 64 << 20));
    private final AtomicInteger mismatches = new AtomicInteger();
    private final Transactions transactions = new Transactions(store, time);
    private final AppDriver app = new AppDriver(
            transactions,
            new Tables(store, new Actions(transactions, time, OnceListener.NONE), mismatches::incrementAndGet));
    private String table = "";

    /** A store whose commits wait while it is closed. */
    private static final class Gate extends ForwardingStore {

        private final CountDownLatch reached = new CountDownLatch(1);
        private final AtomicInteger conflicts = new AtomicInteger();
        private final MemoryStore memory;
        private volatile @Nullable CountDownLatch closed;

        Gate(MemoryStore memory) {
            super(memory);
            this.memory = memory;
        }

        void sweepAll() {
            new Sweeper(memory.admin(), Time.system()).sweep();
        }

        /** Returns the collections of all documents of tables, one for each document. */
        List<String> documents() {
            return Stream.of("ids", "tables", "hands", "sessions", "settlements", "mismatches")
                    .flatMap(name -> scan(new Scan("tables/" + name, "", "", KeyRange.ofPrefix(""), "", 1000)).stream())
                    .map(document -> document.id().collection())
                    .toList();
        }

        @Override
        public CommitResult commit(Commit commit) {
            CountDownLatch gate = closed;
            if (gate != null) {
                reached.countDown();
                try {
                    gate.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            CommitResult result = super.commit(commit);
            if (result instanceof CommitResult.DocumentConflict) {
                conflicts.incrementAndGet();
            }
            return result;
        }
    }

    @BeforeEach
    void openTable() {
        table = "/v1/tables/" + app.post("ann", "/v1/tables", "").at("tableId").stringValue();
    }

    private Reply act(String user, String members) {
        return app.post(user, table + "/actions", "{\"action\":\"raise\",\"amount\":100," + members + "}");
    }

    private static String msg(UUID id) {
        return "\"clientMsgId\":\"" + id + "\"";
    }

    private long pot() {
        return app.get("ann", table).at("pot").longValue();
    }

    private String enter(String user) {
        return app.post(user, table + "/sessions", "").at("sid").stringValue();
    }

    @Test
    void hand_isSettledOnceByManyAtOnce() throws Exception {
        String hand = app.post("ann", table + "/hands", "").at("handId").stringValue();
        String tableId = table.substring("/v1/tables/".length());
        String body = "{\"tableId\":\"" + tableId + "\",\"handId\":\"" + hand + "\",\"winner\":\"bob\"}";
        List<String> answers = AppDriver.race(
                32, thread -> app.post("ann", "/v1/settlements", body).text());
        assertThat(answers)
                .containsOnlyOnce("{\"ok\":true,\"duplicate\":false}")
                .contains("{\"ok\":true,\"duplicate\":true}")
                .hasSize(32);
        assertThat(app.get("ann", table).at("settlements").intValue()).isEqualTo(1);
        assertThat(app.get("bob", "/v1/settlements/" + tableId + ":" + hand)
                        .at("mismatches")
                        .intValue())
                .isZero();
    }

    @Test
    void copiesOfAnActionAtOnce_areAppliedOnceWithOneResult() throws Exception {
        UUID id = UUID.randomUUID();
        List<Reply> replies = AppDriver.race(32, thread -> act("ann", msg(id)));
        assertThat(replies).extracting(Reply::status).containsOnly(200);
        assertThat(replies)
                .extracting(reply -> reply.at("duplicate").booleanValue())
                .containsOnlyOnce(false);
        assertThat(replies).extracting(reply -> reply.at("pot").intValue()).containsOnly(100);
        assertThat(pot()).isEqualTo(100);
    }

    @Test
    void duplicateOfAnActionInProgress_waitsForItsResult() throws Exception {
        UUID id = UUID.randomUUID();
        CountDownLatch gate = new CountDownLatch(1);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            store.closed = gate;
            Future<Reply> first = threads.submit(() -> act("ann", msg(id)));
            store.reached.await();
            Future<Reply> second = threads.submit(() -> act("ann", msg(id)));
            time.awaitScheduled(1);
            store.closed = null;
            gate.countDown();
            assertThat(first.get().at("duplicate").booleanValue()).isFalse();
            assertThat(second.get().at("duplicate").booleanValue()).isTrue();
            assertThat(pot()).isEqualTo(100);
        } finally {
            gate.countDown();
            threads.shutdownNow();
        }
    }

    @Test
    void repeatedAction_isADuplicateForAMinute() {
        UUID id = UUID.randomUUID();
        act("ann", msg(id));
        time.advance(Duration.ofSeconds(59));
        assertThat(act("ann", msg(id)).at("duplicate").booleanValue()).isTrue();
        time.advance(Duration.ofSeconds(2));
        assertThat(act("ann", msg(id)).at("duplicate").booleanValue()).isFalse();
        assertThat(pot()).isEqualTo(200);
    }

    @Test
    void repeatedNumberedAction_isADuplicateDuringItsSession() {
        UUID id = UUID.randomUUID();
        String numbered = msg(id) + ",\"sid\":\"" + enter("ann") + "\",\"seq\":1";
        act("ann", numbered);
        time.advance(Duration.ofMinutes(9));
        Reply late = act("ann", numbered);
        assertThat(late.at("duplicate").booleanValue()).isTrue();
        assertThat(late.at("ok").booleanValue()).isTrue();
        time.advance(Duration.ofMinutes(2));
        assertThat(act("ann", numbered).status()).isEqualTo(404);
        assertThat(pot()).isEqualTo(100);
    }

    @Test
    void actionAfterAGap_isAppliedWhenTheGapIsFilled() {
        String sid = "\"sid\":\"session-" + enter("ann") + "\"";
        String second = msg(UUID.randomUUID()) + "," + sid + ",\"seq\":2";
        Reply early = act("ann", second);
        assertThat(early.status()).isEqualTo(409);
        assertThat(early.at("code").stringValue()).isEqualTo("out_of_order");
        assertThat(early.at("expected").intValue()).isEqualTo(1);
        assertThat(act("ann", msg(UUID.randomUUID()) + "," + sid + ",\"seq\":1")
                        .at("duplicate")
                        .booleanValue())
                .isFalse();
        assertThat(act("ann", second).at("duplicate").booleanValue()).isFalse();
        assertThat(pot()).isEqualTo(200);
    }

    @Test
    void numbersOfASessionAtOnce_areAppliedOnceEach() throws Exception {
        String sid = "\"sid\":\"" + enter("ann") + "\"";
        List<Reply> replies =
                AppDriver.race(16, thread -> act("ann", msg(UUID.randomUUID()) + "," + sid + ",\"seq\":1"));
        assertThat(replies)
                .extracting(reply -> reply.at("duplicate").booleanValue())
                .containsOnlyOnce(false);
        assertThat(pot()).isEqualTo(100);
    }

    @Test
    void sameActionInAnotherForm_isADuplicate() {
        UUID id = UUID.randomUUID();
        act("ann", msg(id));
        Reply again = app.post(
                "ann",
                table + "/actions",
                "{\"amount\":1e2,\"type\":\"action\",\"clientMsgId\":\""
                        + id.toString().toUpperCase(java.util.Locale.ROOT) + "\",\"action\":\"raise\"}");
        assertThat(again.at("duplicate").booleanValue()).isTrue();
    }

    private Reply settle(String hand, int pot) {
        return app.post(
                "ann",
                "/v1/settlements",
                "{\"tableId\":\"%s\",\"handId\":\"%s\",\"pot\":%d}"
                        .formatted(table.substring("/v1/tables/".length()), hand, pot));
    }

    private String deal() {
        return app.post("ann", table + "/hands", "").at("handId").stringValue();
    }

    private Instant endsAt() {
        return Instant.parse(app.get("ann", table).at("endsAt").stringValue());
    }

    private void assertEnded(Reply reply, String what) {
        assertThat(reply.status() + reply.at("code").stringValue()).isEqualTo("410ended");
        assertThat(reply.at("detail").stringValue()).isEqualTo("The " + what + " has ended");
    }

    @Test
    void tableThatIsNotUsed_endsAfterADay() {
        Instant opened = time.instant();
        assertThat(endsAt()).isEqualTo(opened.plus(Duration.ofDays(1)));
        time.advance(Duration.ofDays(1).minusSeconds(1));
        assertThat(app.get("ann", table).status()).isEqualTo(200);
        time.advance(Duration.ofSeconds(1));
        assertEnded(app.get("ann", table), "table");
        assertEnded(app.send("ann", "DELETE", table, ""), "table");
        assertEnded(app.post("ann", table + "/sessions", ""), "table");
        assertEnded(app.post("ann", table + "/hands", ""), "table");
        assertEnded(act("ann", msg(UUID.randomUUID())), "table");
        assertEnded(settle(UUID.randomUUID().toString(), 1), "table");
        store.sweepAll();
        assertEnded(app.get("ann", table), "table");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sessions", "hands", "actions", "settlements"})
    void use_extendsTheLifetimeOfATable(String use) {
        Runnable used = () -> {
            Reply reply = switch (use) {
                case "sessions" -> app.post("ann", table + "/sessions", "");
                case "hands" -> app.post("ann", table + "/hands", "");
                case "actions" -> act("ann", msg(UUID.randomUUID()));
                default -> settle(UUID.randomUUID().toString(), 1);
            };
            assertThat(reply.status()).isIn(200, 201);
        };
        Instant opened = time.instant();
        time.advance(Duration.ofHours(1));
        used.run();
        assertThat(endsAt()).as("not extended with every use").isEqualTo(opened.plus(Duration.ofDays(1)));
        for (int day = 0; day < 3; day++) {
            time.advance(Duration.ofHours(22));
            used.run();
            assertThat(endsAt()).isEqualTo(time.instant().plus(Duration.ofDays(1)));
        }
    }

    @Test
    void hand_endsAfterADay() {
        String settled = deal();
        String hand = deal();
        settle(settled, 1);
        time.advance(Duration.ofHours(12));
        deal(); // the table is in use
        time.advance(Duration.ofHours(12));
        assertEnded(settle(hand, 1), "hand");
        assertEnded(app.send("ann", "DELETE", table + "/hands/" + hand, ""), "hand");
        assertThat(settle(settled, 1).text()).isEqualTo("{\"ok\":true,\"duplicate\":true}");
    }

    private Reply settleAsTable(String id) {
        return app.post(
                "ann", "/v1/settlements", "{\"tableId\":\"%s\",\"handId\":\"%s\"}".formatted(id, UUID.randomUUID()));
    }

    @Test
    void clientMsgId_isBoundForAMinuteAfterItsLastUse() {
        UUID id = UUID.randomUUID();
        act("ann", msg(id));
        time.advance(Duration.ofSeconds(50));
        assertThat(act("bob", msg(id)).at("duplicate").booleanValue()).isFalse();
        time.advance(Duration.ofSeconds(59));
        assertThat(settleAsTable(id.toString()).at("code").stringValue()).isEqualTo("wrong_kind");
        time.advance(Duration.ofSeconds(1));
        assertThat(settleAsTable(id.toString()).status()).isEqualTo(200);
        assertThat(act("ann", msg(id)).at("code").stringValue()).isEqualTo("wrong_kind");
    }

    @Test
    void sessionThatHasExpired_staysBoundForAMonth() {
        String sid = enter("ann");
        time.advance(Duration.ofMinutes(10).plusDays(30).minusSeconds(1));
        assertThat(settleAsTable(sid).at("code").stringValue()).isEqualTo("wrong_kind");
        time.advance(Duration.ofSeconds(1));
        store.sweepAll();
        assertThat(settleAsTable(sid).status()).isEqualTo(200);
    }

    /** Anything else that stays would grow without bound. */
    @Test
    void whatEndsByItself_leavesOnlyBindings() {
        deal();
        enter("ann");
        act("ann", msg(UUID.randomUUID()));
        time.advance(Duration.ofDays(31));
        store.sweepAll();
        assertThat(store.documents()).containsExactlyInAnyOrder("tables/ids", "tables/ids");
    }

    @Test
    void mismatch_isReportedOnceHoweverOftenItsTransactionConflicts() throws Exception {
        String hand = deal();
        settle(hand, 0);
        AppDriver.race(16, thread -> settle(hand, thread + 1));
        assertThat(mismatches).hasValue(16);
        assertThat(store.conflicts).hasPositiveValue();
    }

    @Test
    void sessionOfAnotherUser_isNotFound() {
        String sid = enter("bob");
        assertThat(act("ann", msg(UUID.randomUUID()) + ",\"sid\":\"" + sid + "\",\"seq\":1")
                        .status())
                .isEqualTo(404);
        assertThat(pot()).isZero();
    }
}
