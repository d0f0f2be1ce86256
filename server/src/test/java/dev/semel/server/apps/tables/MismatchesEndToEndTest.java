package dev.semel.server.apps.tables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Fingerprint;
import dev.semel.server.AppDriver;
import dev.semel.server.EndToEnd;
import dev.semel.server.Scrape;
import dev.semel.server.ServerFixture.Reply;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Duplicates of settlements with another payload are counted and listed. */
class MismatchesEndToEndTest extends EndToEnd {

    private static final String LIST = "/v1/ops/settlements/mismatches";

    MismatchesEndToEndTest(On on) {
        super(on);
    }

    private static String settle(String table, String hand, int pot, String... headers) {
        return as("ann")
                .post(
                        "/v1/settlements",
                        "{\"tableId\":\"%s\",\"handId\":\"%s\",\"pot\":%d}".formatted(table, hand, pot),
                        headers)
                .text("duplicate");
    }

    private static String uuid() {
        return UUID.randomUUID().toString();
    }

    private static long counted() {
        return (long) Scrape.of(server()).value("semel_settlement_mismatches_total");
    }

    @Test
    void mismatch_isCountedOnceHoweverOftenTheRequestIsReplayed() {
        long before = counted();
        String table = uuid();
        String hand = uuid();
        assertThat(settle(table, hand, 10, "Idempotency-Key", "a-" + hand)).isEqualTo("false");
        assertThat(settle(table, hand, 10)).isEqualTo("true");
        assertThat(counted()).isEqualTo(before);
        for (int i = 0; i < 3; i++) {
            assertThat(settle(table, hand, 11, "Idempotency-Key", "b-" + hand)).isEqualTo("true");
        }
        assertThat(counted()).isEqualTo(before + 1);
        assertThat(settle(table, hand, 12)).isEqualTo("true");
        assertThat(counted()).isEqualTo(before + 2);
        assertThat(as("bob").get("/v1/settlements/" + table + ":" + hand).text("mismatches"))
                .isEqualTo("2");
    }

    @Test
    void mismatchesAtOnce_areAllCountedOnce() throws Exception {
        long before = counted();
        String table = uuid();
        String hand = uuid();
        settle(table, hand, 0);
        AppDriver.race(8, thread -> settle(table, hand, thread + 1));
        assertThat(counted()).isEqualTo(before + 8);
        assertThat(as("bob").get("/v1/settlements/" + table + ":" + hand).text("mismatches"))
                .isEqualTo("8");
    }

    @Test
    void list_showsMismatchesWithoutPayloads() {
        String table = uuid();
        String hand = uuid();
        settle(table, hand, 4711);
        assertThat(asOperator("olga").get(LIST).text()).doesNotContain(hand);
        settle(table, hand, 4712);
        settle(table, hand, 4713);
        Reply page = asOperator("olga").get(LIST + "?limit=1");
        JsonNode item = page.json().get("items").get(0);
        assertThat(item.get("settlementId").asString()).isEqualTo(table + ":" + hand);
        assertThat(item.get("tableId").asString() + item.get("handId").asString())
                .isEqualTo(table + hand);
        assertThat(item.get("mismatches").asInt()).isEqualTo(2);
        assertThat(Instant.parse(item.get("firstAt").asString()))
                .isBeforeOrEqualTo(Instant.parse(item.get("lastAt").asString()));
        assertThat(item.get("fingerprint").asString()).isEqualTo(fingerprint(table, hand, 4711));
        assertThat(item.get("firstFingerprint").asString()).isEqualTo(fingerprint(table, hand, 4712));
        assertThat(item.get("lastFingerprint").asString()).isEqualTo(fingerprint(table, hand, 4713));
        assertThat(page.text()).doesNotContain("pot");
    }

    private static String fingerprint(String table, String hand, int pot) {
        return Fingerprint.ofJson("{\"tableId\":\"%s\",\"handId\":\"%s\",\"pot\":%d,\"settlementId\":\"%s\"}"
                        .formatted(table, hand, pot, table + ":" + hand)
                        .getBytes(java.nio.charset.StandardCharsets.UTF_8))
                .hex();
    }

    @Test
    void list_hasPagesWithTheLatestFirst() {
        List<String> mine = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            String table = uuid();
            String hand = uuid();
            mine.add(0, table + ":" + hand);
            settle(table, hand, 1);
            settle(table, hand, 2);
        }
        List<String> listed = new ArrayList<>();
        String after = "";
        while (listed.size() < 5) {
            Reply page = asOperator("olga").get(LIST + "?limit=2&after=" + after);
            listed.addAll(column(page, "settlementId"));
            after = page.text("next");
        }
        assertThat(listed.subList(0, 5)).isEqualTo(mine);
        assertInvalid(asOperator("olga").get(LIST + "?after=x"), "after");
        assertInvalid(asOperator("olga").get(LIST + "?limit=0"), "limit");
    }

    @Test
    void list_isForOperators() {
        assertProblem(as("ann").get(LIST), 403, "not_operator");
        assertThat(asNobody().get(LIST).status()).isEqualTo(401);
    }
}
