package dev.semel.server.apps.tables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.Transactions;
import dev.semel.memory.MemoryStore;
import dev.semel.once.OnceListener;
import dev.semel.server.AppDriver;
import dev.semel.server.AppDriver.Reply;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.ForwardingStore;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TablesTest {

    private final ControlledTime time = new ControlledTime();
    private final Gate store = new Gate(new MemoryStore(time, 64 << 20));
    private final Transactions transactions = new Transactions(store, time);
    private final AppDriver app =
            new AppDriver(transactions, new Tables(store, new Actions(transactions, time, OnceListener.NONE)));
    private String table = "";

    /** A store whose commits wait while it is closed. */
    private static final class Gate extends ForwardingStore {

        private final CountDownLatch reached = new CountDownLatch(1);
        private volatile @Nullable CountDownLatch closed;

        Gate(DocumentStore store) {
            super(store);
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
            return super.commit(commit);
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

    @Test
    void sessionOfAnotherUser_isNotFound() {
        String sid = enter("bob");
        assertThat(act("ann", msg(UUID.randomUUID()) + ",\"sid\":\"" + sid + "\",\"seq\":1")
                        .status())
                .isEqualTo(404);
        assertThat(pot()).isZero();
    }
}
