package dev.semel.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import dev.semel.web.Site.Received;
import dev.semel.web.Site.Reply;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An outbox in one tab: what is stored, and what is sent. */
class OutboxTest extends BrowserFixture {

    @Test
    void entries_areSentInOrder_andConfirmed() {
        Page tab = tab("{}");
        for (String text : new String[] {"a", "b", "c"}) {
            add(tab, text, "lane");
        }
        awaitTexts(tab, "confirmed", "a b c");
        assertThat(site.bodies()).containsExactly("{\"text\":\"a\"}", "{\"text\":\"b\"}", "{\"text\":\"c\"}");
        assertThat(counts(tab)).isEqualTo("{\"pending\":0,\"failed\":0,\"confirmed\":3}");
    }

    @Test
    void entry_hasTheMembersOfTheContract_andTheResponse() {
        site.respond(request -> new Reply(201, request.confirmed().headers(), "{\"id\":7}"));
        Page tab = tab("{}");
        String members = "operation, method, endpoint, payload, lane, status, retryCount";
        String added = run(
                tab,
                "const { " + members
                        + ", ...rest } = await harness.outbox.add({ operation: 'create_post', method: 'PUT',"
                        + " endpoint: '/v1/posts/1?x=y', payload: { text: 'é' }, lane: 'ann' });"
                        + " return JSON.stringify({ " + members + " }) + ' ' + Object.keys(rest).join()");
        assertThat(added)
                .isEqualTo("{\"operation\":\"create_post\",\"method\":\"PUT\",\"endpoint\":\"/v1/posts/1?x=y\","
                        + "\"payload\":{\"text\":\"é\"},\"lane\":\"ann\",\"status\":\"pending\",\"retryCount\":0}"
                        + " id,idempotencyKey,clientTxId,contentType,nextRetryAt,createdAt");
        awaitTexts(tab, "confirmed", "é");
        assertThat(run(tab, "return JSON.stringify((await harness.outbox.entries())[0].response)"))
                .isEqualTo("{\"status\":201,\"body\":\"{\\\"id\\\":7}\"}");
        Received sent = site.received().get(0);
        assertThat(sent.method() + " " + sent.path() + " " + sent.body())
                .isEqualTo("PUT /v1/posts/1?x=y {\"text\":\"é\"}");
        assertThat(sent.header("content-type")).isEqualTo("application/json");
        assertThat(sent.headers()).doesNotContainKeys("cookie", "referer", "authorization");
        assertThat(sent.header("idempotency-key"))
                .matches("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}-[0-9]{13}");
    }

    @Test
    void entryWhoseResponseIsLost_isSentAgainWithTheSameKey() {
        site.respond(request -> site.received().size() == 1 ? Reply.of(0) : request.confirmed());
        Page tab = tab("{}");
        add(tab, "a", "lane");
        awaitTexts(tab, "confirmed", "a");
        List<String> keys = site.received().stream()
                .map(request -> request.header("idempotency-key"))
                .toList();
        assertThat(keys).hasSize(2);
        assertThat(keys.get(0)).isEqualTo(keys.get(1));
    }
}
