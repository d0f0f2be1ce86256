package dev.semel.server.apps.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.Transactions;
import dev.semel.memory.MemoryStore;
import dev.semel.server.AppDriver;
import dev.semel.store.Time;
import java.util.List;
import org.junit.jupiter.api.Test;

class FeedTest {

    private final MemoryStore store = new MemoryStore();
    private final Transactions transactions = new Transactions(store, Time.system());
    private final AppDriver app = new AppDriver(transactions, new Feed(store, transactions, Time.system(), null));

    private String publish(String user, String text) {
        return app.post(user, "/v1/feed/posts", "{\"text\":\"" + text + "\"}")
                .at("id")
                .stringValue();
    }

    @Test
    void likesOfManyUsersAtOnce_countOneEach() throws Exception {
        String post = publish("ann", "hello");
        List<Integer> statuses = AppDriver.race(
                64,
                thread -> app.post("user-" + thread % 32, "/v1/feed/posts/" + post + "/likes", "")
                        .status());
        assertThat(statuses).containsOnly(201);
        assertThat(app.get("ann", "/v1/feed/posts/" + post).at("likes").intValue())
                .isEqualTo(32);
    }

    @Test
    void likesOfOneUserAtOnce_countOnce() throws Exception {
        String post = publish("ann", "hello");
        AppDriver.race(64, thread -> app.post("bob", "/v1/feed/posts/" + post + "/likes", ""));
        assertThat(app.get("ann", "/v1/feed/posts/" + post).at("likes").intValue())
                .isEqualTo(1);
    }

    @Test
    void commentsDuringDeletion_areRejectedOrDeleted() throws Exception {
        String post = publish("ann", "hello");
        List<Integer> statuses = AppDriver.race(
                16,
                thread -> (thread == 0
                                ? app.send("ann", "DELETE", "/v1/feed/posts/" + post, "")
                                : app.post("bob", "/v1/feed/posts/" + post + "/comments", "{\"text\":\"hi\"}"))
                        .status());
        assertThat(statuses.get(0)).isEqualTo(200);
        assertThat(statuses.subList(1, 16)).containsAnyOf(201, 404).isSubsetOf(201, 404);
        assertThat(app.get("bob", "/v1/feed/posts/" + post + "/comments").status())
                .isEqualTo(404);
    }

    @Test
    void idOfADeletedPost_isNotReused() {
        String post = publish("ann", "hello");
        app.send("ann", "DELETE", "/v1/feed/posts/" + post, "");
        AppDriver.Reply again = app.post("ann", "/v1/feed/posts", "{\"id\":\"" + post + "\",\"text\":\"hello\"}");
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.at("code").stringValue()).isEqualTo("id_taken");
    }
}
