package dev.semel.server.apps.collections;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.Transactions;
import dev.semel.memory.MemoryStore;
import dev.semel.server.AppDriver;
import dev.semel.server.AppDriver.Reply;
import dev.semel.store.Time;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class CollectionsTest {

    private static final String NOTES = "/v1/collections/notes/records";

    private final Transactions transactions = new Transactions(new MemoryStore(), Time.system());
    private final AppDriver app = new AppDriver(transactions, new Collections(transactions));

    @Test
    void countedIdsAtOnce_haveNoGaps() throws Exception {
        List<String> ids = AppDriver.race(
                16,
                thread -> app.post("ann", NOTES + "?scheme=seq10", "1").at("id").stringValue());
        assertThat(ids)
                .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, 16)
                        .mapToObj(number -> String.format("%010d", number))
                        .toList());
    }

    @Test
    void countedIdsThatWereChosenBefore_areSkipped() {
        for (int i = 1; i <= 60; i++) {
            app.send("ann", "PUT", NOTES + "/" + String.format("%010d", i), "1", "If-None-Match", "*");
        }
        Reply made = app.post("ann", NOTES + "?scheme=seq10", "1");
        assertThat(made.status()).isEqualTo(201);
        assertThat(made.at("id").stringValue()).isEqualTo("0000000061");
    }

    @Test
    void countsOfUsersCollectionsAndSchemes_areSeparate() {
        assertThat(app.post("ann", NOTES + "?scheme=seq10", "1").at("id").stringValue())
                .isEqualTo("0000000001");
        assertThat(app.post("bob", NOTES + "?scheme=seq10", "1").at("id").stringValue())
                .isEqualTo("0000000001");
        assertThat(app.post("ann", "/v1/collections/others/records?scheme=seq10", "1")
                        .at("id")
                        .stringValue())
                .isEqualTo("0000000001");
        assertThat(app.post("ann", NOTES + "?scheme=seq36&prefix=order", "1")
                        .at("id")
                        .stringValue())
                .isEqualTo("order-0000001");
        assertThat(app.get("ann", "/v1/ids/seq10?n=2").at("ids").toString())
                .isEqualTo("[\"0000000001\",\"0000000002\"]");
        assertThat(app.get("ann", "/v1/ids/seq10").at("ids").toString()).isEqualTo("[\"0000000003\"]");
        assertThat(app.get("ann", NOTES).at("items").size()).isEqualTo(2);
    }

    @Test
    void concurrentUpdatesOfOneVersion_succeedOnce() throws Exception {
        app.send("ann", "PUT", NOTES + "/a", "0", "If-None-Match", "*");
        List<Integer> statuses = AppDriver.race(
                16,
                thread -> app.send("ann", "PUT", NOTES + "/a", "" + thread, "If-Match", "\"1\"")
                        .status());
        assertThat(statuses).containsOnlyOnce(200).contains(412);
        assertThat(app.get("ann", NOTES + "/a").at("version").intValue()).isEqualTo(2);
    }

    @Test
    void pageOfLargeDocuments_endsEarlyAndLosesNothing() {
        String large = "\"" + "x".repeat(200_000) + "\"";
        for (int i = 0; i < 120; i++) {
            app.send("ann", "PUT", NOTES + "/" + String.format("%03d", i), large, "If-None-Match", "*");
        }
        int pages = 0;
        int items = 0;
        String after = "";
        do {
            Reply page = app.get("ann", NOTES + "?limit=1000&after=" + after);
            for (JsonNode item : page.at("items")) {
                assertThat(item.get("id").stringValue()).isEqualTo(String.format("%03d", items++));
            }
            assertThat(page.text()).hasSizeLessThan(20 << 20);
            after = page.at("next").isNull() ? "" : page.at("next").stringValue();
            pages++;
        } while (!after.isEmpty());
        assertThat(items).isEqualTo(120);
        assertThat(pages).isGreaterThan(1);
    }
}
