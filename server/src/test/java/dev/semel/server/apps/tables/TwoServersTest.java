package dev.semel.server.apps.tables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.postgres.Postgres;
import dev.semel.server.AppDriver;
import dev.semel.server.ServerFixture;
import dev.semel.server.ServerFixture.Reply;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Two servers with one database bind ids, end tables and count mismatches as one server does. */
class TwoServersTest {

    private static List<ServerFixture> servers = List.of();

    @BeforeAll
    static void start() {
        String url = Postgres.url(Postgres.NEWEST.database());
        servers = List.of(ServerFixture.onPostgres(url, Map.of()), ServerFixture.onPostgres(url, Map.of()));
    }

    @AfterAll
    static void stop() {
        servers.forEach(ServerFixture::close);
    }

    private static ServerFixture.Client on(int server) {
        return servers.get(server % 2).as("ann");
    }

    private static String uuid() {
        return UUID.randomUUID().toString();
    }

    private static Reply settle(int server, String table, String hand, int pot) {
        return on(server)
                .post(
                        "/v1/settlements",
                        "{\"tableId\":\"%s\",\"handId\":\"%s\",\"pot\":%d}".formatted(table, hand, pot));
    }

    private static String action() {
        return "{\"clientMsgId\":\"" + uuid() + "\",\"action\":\"raise\",\"amount\":1}";
    }

    @Test
    void pairInBothOrdersOnBothServers_isSettledInOne() throws Exception {
        for (int i = 0; i < 30; i++) {
            String a = uuid();
            String b = uuid();
            List<Reply> replies =
                    AppDriver.race(4, thread -> thread < 2 ? settle(thread, a, b, 1) : settle(thread, b, a, 1));
            assertThat(replies.get(0).status()).isEqualTo(replies.get(1).status());
            assertThat(replies.get(2).status()).isEqualTo(replies.get(3).status());
            assertThat(List.of(replies.get(0).status(), replies.get(2).status()))
                    .containsExactlyInAnyOrder(200, 409);
        }
    }

    @Test
    void tableEndedOnOneServer_hasEndedOnTheOther() throws Exception {
        String path = "/v1/tables/" + on(0).post("/v1/tables", "").text("tableId");
        AtomicInteger applied = new AtomicInteger();
        AtomicInteger highest = new AtomicInteger();
        AppDriver.race(5, thread -> {
            if (thread == 0) {
                while (applied.get() < 20) {
                    Thread.onSpinWait();
                }
                assertThat(on(0).delete(path).status()).isEqualTo(200);
                assertThat(on(1).post(path + "/actions", action()).status()).isEqualTo(410);
                return 0;
            }
            Reply reply = on(thread).post(path + "/actions", action());
            while (reply.status() == 200) {
                applied.incrementAndGet();
                highest.accumulateAndGet(reply.json().get("actions").asInt(), Math::max);
                reply = on(thread).post(path + "/actions", action());
            }
            assertThat(reply.status()).isEqualTo(410);
            return 0;
        });
        assertThat(highest).hasValue(applied.get());
        assertThat(on(1).get(path).status()).isEqualTo(410);
    }

    @Test
    void mismatchesOnBothServers_areCountedTogether() throws Exception {
        String table = uuid();
        String hand = uuid();
        settle(0, table, hand, 0);
        AppDriver.race(6, thread -> settle(thread, table, hand, thread + 1));
        for (int server = 0; server < 2; server++) {
            assertThat(on(server).get("/v1/settlements/" + table + ":" + hand).text("mismatches"))
                    .isEqualTo("6");
        }
    }
}
