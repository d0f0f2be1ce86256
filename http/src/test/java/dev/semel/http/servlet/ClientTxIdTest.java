package dev.semel.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.http.FilterSettings;
import dev.semel.http.Idempotency;
import dev.semel.once.OnceSettings;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Quota;
import jakarta.servlet.DispatcherType;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Every response to a request with a key repeats its transaction id. */
@ParameterizedClass
@EnumSource(Container.class)
class ClientTxIdTest {

    private static final String HEADER = "X-Client-Tx-Id";

    private final Container web;
    private final TestApp.Handler handler =
            (request, response) -> response.getWriter().print("done");

    ClientTxIdTest(Container web) {
        this.web = web;
    }

    private static void assertRepeats(HttpResponse<byte[]> reply, int status, String... expected) {
        assertThat(reply.statusCode()).as(Responses.text(reply)).isEqualTo(status);
        assertThat(reply.headers().allValues(HEADER)).containsExactly(expected);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static TestApp.RequestBuilder keyed(TestApp app, String key, String clientTxId) {
        return app.post("/").key(key).header(HEADER, clientTxId);
    }

    @Test
    void firstResponseAndReplay_repeatTheIdOfTheirRequest() throws Exception {
        try (TestApp app = TestApp.on(web).serve(handler)) {
            assertRepeats(keyed(app, "k", "t-1").send(), 200, "t-1");
            HttpResponse<byte[]> replay = keyed(app, "k", "\"t-2\"").send();
            assertThat(Responses.isReplay(replay)).isTrue();
            assertRepeats(replay, 200, "\"t-2\"");
        }
    }

    @Test
    void problems_repeatIt() throws Exception {
        OnceSettings one = OnceSettings.DEFAULTS.withQuota(new Quota(1, Duration.ofHours(1)));
        FilterSettings small = new FilterSettings(10, 100, 100);
        try (TestApp app = TestApp.on(web).once(one).settings(small).serve(handler)) {
            app.store.goDown();
            assertRepeats(keyed(app, "k", "t-0").send(), 503, "t-0");
            app.store.comeUp();
            assertRepeats(keyed(app, "a.b", "t-1").send(), 400, "t-1");
            assertRepeats(keyed(app, "k", "t-2").user(null).send(), 401, "t-2");
            assertRepeats(keyed(app, "k", "t-3").body("x".repeat(11)).send(), 413, "t-3");
            assertRepeats(keyed(app, "k", "t-4").body("x").send(), 200, "t-4");
            assertRepeats(keyed(app, "k", "t-5").body("y").send(), 422, "t-5");
            assertRepeats(keyed(app, "k2", "t-6").send(), 429, "t-6");
        }
    }

    @Test
    void requestInProgress_repeatsIt() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (TestApp app = TestApp.on(web)
                .rule(Idempotency.leased(IfAbandoned.RERUN))
                .serve((request, response) -> {
                    started.countDown();
                    await(go);
                })) {
            CompletableFuture<HttpResponse<byte[]>> first =
                    keyed(app, "k", "t-1").later();
            await(started);
            assertRepeats(keyed(app, "k", "t-2").send(), 409, "t-2");
            go.countDown();
            assertRepeats(first.get(), 200, "t-1");
        }
    }

    @Test
    void errorsOfTheHandler_repeatIt() throws Exception {
        try (TestApp app = TestApp.on(web).serve((request, response) -> {
            if (request.getDispatcherType() == DispatcherType.ERROR) {
                response.getWriter().print("error page");
                return;
            }
            if (request.getRequestURI().equals("/throw")) {
                throw new IllegalStateException("failed on purpose");
            }
            response.reset();
            response.sendError(404);
        })) {
            assertRepeats(keyed(app, "k", "t-1").send(), 404, "t-1");
            assertRepeats(app.post("/throw").key("k").header(HEADER, "t-2").send(), 500, "t-2");
        }
    }

    @Test
    void requestsWithoutAKey_andMalformedIds_repeatNothing() throws Exception {
        try (TestApp app = TestApp.on(web).serve(handler)) {
            assertRepeats(app.post("/").header(HEADER, "t").send(), 200);
            assertRepeats(app.ask("GET", "/").key("k").header(HEADER, "t").send(), 200);
            for (String malformed : List.of("a b", "<x>", "", "t".repeat(256))) {
                assertRepeats(keyed(app, "k", malformed).send(), 400);
            }
            assertRepeats(keyed(app, "k", "t-1").header(HEADER, "t-2").send(), 400);
        }
        try (TestApp app = TestApp.on(web).rule(Idempotency.NONE).serve(handler)) {
            assertRepeats(keyed(app, "k", "t").send(), 200);
        }
    }
}
