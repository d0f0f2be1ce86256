package dev.semel.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import dev.semel.testkit.Eventually;
import dev.semel.web.Site.Received;
import dev.semel.web.Site.Reply;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

/** When entries are sent, and what their lane does after each response. */
class SendingTest extends BrowserFixture {

    private static Reply rejected(Received request) {
        return new Reply(400, request.confirmed().headers(), "{\"detail\":\"no\"}");
    }

    private static String decide(Page tab, String operation, String id) {
        return run(tab, "return await harness.outbox." + operation + "('" + id + "')");
    }

    private static String lastError(Page tab, String id) {
        return run(tab, "return (await harness.outbox.find('" + id + "')).lastError");
    }

    private static String reasons(Page tab) {
        return run(tab, "return (await harness.outbox.entries()).map(({ reason }) => reason).join()");
    }

    @Test
    void failedEntry_stopsItsLaneAndNoOther_untilItIsRetriedOrDiscarded() {
        site.respond(request -> request.body().contains("bad") ? rejected(request) : request.confirmed());
        Page tab = tab("{}");
        String bad = add(tab, "bad", "one");
        add(tab, "behind", "one");
        add(tab, "other", "two");
        awaitTexts(tab, "failed", "bad");
        awaitTexts(tab, "confirmed", "other");
        assertThat(texts(tab, "pending")).isEqualTo("behind");
        assertThat(lastError(tab, bad)).isEqualTo("rejected: status 400, no");
        assertThat(decide(tab, "retry", bad)).isEqualTo("true");
        awaitReceived(3);
        awaitTexts(tab, "failed", "bad");
        assertThat(decide(tab, "discard", bad)).isEqualTo("true");
        awaitTexts(tab, "confirmed", "behind other");
        assertThat(decide(tab, "retry", bad) + decide(tab, "discard", bad)).isEqualTo("falsefalse");
    }

    @Test
    void entryThatIsDiscardedWhileItIsSent_isGone_andTheLaneGoesOn() {
        CountDownLatch discarded = new CountDownLatch(1);
        site.respond(request -> {
            discarded.await();
            return request.confirmed();
        });
        Page tab = tab("{\"timeout\":6000000}");
        String id = add(tab, "a", "lane");
        add(tab, "b", "lane");
        awaitReceived(1);
        assertThat(decide(tab, "discard", id)).isEqualTo("true");
        discarded.countDown();
        awaitTexts(tab, "confirmed", "b");
        assertThat(counts(tab)).isEqualTo("{\"pending\":0,\"failed\":0,\"confirmed\":1}");
    }

    @Test
    void lanes_areSentAtTheSameTime_asManyAsAllowed() {
        Semaphore free = new Semaphore(0);
        site.respond(request -> {
            free.acquire();
            return request.confirmed();
        });
        Page tab = tab("{\"timeout\":6000000,\"parallel\":2}");
        for (String lane : new String[] {"a", "b", "c"}) {
            add(tab, lane, lane);
        }
        awaitReceived(2);
        free.release();
        awaitReceived(3);
        assertThat(site.bodies().get(2)).isEqualTo("{\"text\":\"c\"}");
        free.release(2);
        awaitTexts(tab, "confirmed", "a b c");
    }

    @Test
    void networkThatIsBack_endsTheBackoff_butNotAPauseThatTheApiHasAskedFor() {
        site.respond(request -> site.received().size() <= 2
                ? request.body().contains("busy") ? new Reply(503, Map.of("Retry-After", "86400"), "") : Reply.of(0)
                : request.confirmed());
        Page tab = tab("{}");
        run(tab, "harness.outbox.close()");
        run(tab, "harness.open({}, { speed: 0.01 })"); // a backoff takes longer than the test
        add(tab, "lost", "one");
        add(tab, "busy", "two");
        awaitReceived(2);
        Eventually.assertHolds(() -> assertThat(reasons(tab)).isEqualTo("no_response,server_error"));
        run(tab, "window.dispatchEvent(new Event('online'))");
        awaitTexts(tab, "confirmed", "lost");
        assertThat(site.received()).hasSize(3);
        assertThat(texts(tab, "pending")).isEqualTo("busy");
    }

    @Test
    void clockThatIsSetBack_doesNotExtendAPause() {
        site.respond(request ->
                site.received().size() == 1 ? new Reply(503, Map.of("Retry-After", "3600"), "") : request.confirmed());
        Page tab = tab("{}");
        add(tab, "a", "lane");
        Eventually.assertHolds(() -> assertThat(reasons(tab)).isEqualTo("server_error"));
        run(tab, "harness.clock.advance(-120000)");
        run(tab, "document.dispatchEvent(new Event('visibilitychange'))");
        awaitTexts(tab, "confirmed", "a");
    }

    @Test
    void redirect_isNotFollowed() {
        site.respond(request -> request.path().equals("/v1/elsewhere")
                ? request.confirmed()
                : new Reply(
                        307,
                        Map.of("Location", "/v1/elsewhere", "X-Client-Tx-Id", request.header("x-client-tx-id")),
                        ""));
        Page tab = tab("{}");
        add(tab, "a", "lane");
        awaitReceived(2);
        assertThat(reasons(tab)).isEqualTo("redirected");
        assertThat(site.received()).noneMatch(request -> request.path().equals("/v1/elsewhere"));
    }

    @Test
    void entry_isGivenUpAfterTheAttemptsOrAtTheAgeThatTheOwnerAllows() {
        site.respond(request -> Reply.of(503));
        Page tab = tab("{\"giveUpAfter\":{\"attempts\":3}}");
        String id = add(tab, "a", "lane");
        awaitTexts(tab, "failed", "a");
        assertThat(site.received()).hasSize(3);
        assertThat(lastError(tab, id)).startsWith("gave_up: attempt 3 failed: server_error");
        run(tab, "await harness.outbox.close()");
        open(tab, "{\"name\":\"other\",\"giveUpAfter\":{\"age\":10000}}");
        String old = add(tab, "b", "lane");
        Eventually.assertHolds(() -> assertThat(lastError(tab, old)).startsWith("gave_up: the entry was added at "));
    }

    @Test
    void apiOfOthers_provesItsResponsesByASetting() {
        site.respond(request ->
                site.received().size() == 1 ? Reply.of(200) : new Reply(200, Map.of("Bank-Request-Id", "7"), ""));
        Page tab = tab("{\"proof\":{\"header\":\"Bank-Request-Id\"}}");
        add(tab, "a", "lane");
        awaitTexts(tab, "confirmed", "a");
        assertThat(site.received()).hasSize(2);
        run(tab, "await harness.outbox.close()");
        site.respond(request -> new Reply(200, Map.of("Content-Type", "application/json; charset=utf-8"), "{}"));
        open(tab, "{\"proof\":{\"contentType\":\"application/json\"}}");
        add(tab, "b", "lane");
        awaitTexts(tab, "confirmed", "a b");
    }

    @Test
    void closedOutbox_letsItsAttemptEnd_andSendsNothingMore() {
        CountDownLatch end = new CountDownLatch(1);
        site.respond(request -> {
            end.await();
            return request.confirmed();
        });
        Page tab = tab("{\"timeout\":6000000}");
        add(tab, "a", "lane");
        add(tab, "b", "lane");
        awaitReceived(1);
        tab.evaluate("() => { window.closing = harness.outbox.close() }");
        end.countDown();
        run(tab, "await window.closing");
        open(tab, "{}");
        awaitTexts(tab, "confirmed", "a b");
        assertThat(site.bodies()).containsExactly("{\"text\":\"a\"}", "{\"text\":\"b\"}");
    }

    @Test
    void entries_areListedByStatusLaneAndPage() {
        site.respond(request -> Reply.of(503));
        Page tab = tab("{}");
        for (String text : List.of("a", "b", "c", "d")) {
            add(tab, text, text.equals("c") ? "two" : "one");
        }
        String list =
                "const list = async (query) => (await harness.outbox.entries(query)).map(({ payload }) => payload.text).join('');"
                        + " const [first] = await harness.outbox.entries();"
                        + " return [await list(), await list({ lane: 'one' }), await list({ limit: 2 }), await list({ after: first.id, limit: 2 }),"
                        + " await list({ status: 'failed' })].join()";
        assertThat(run(tab, list)).isEqualTo("abcd,abd,ab,bc,");
    }
}
