package dev.semel.http.servlet;

import static dev.semel.http.servlet.Responses.assertProblem;
import static dev.semel.http.servlet.Responses.header;
import static dev.semel.http.servlet.Responses.isReplay;
import static dev.semel.http.servlet.Responses.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.document.Transaction;
import dev.semel.document.Transactions;
import dev.semel.http.Idempotency;
import dev.semel.memory.MemoryStore;
import dev.semel.once.Once;
import dev.semel.store.IfAbandoned;
import dev.semel.store.spi.DocumentStore;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Atomic requests, whose handlers write in the request's transaction. */
@ParameterizedClass
@EnumSource(Container.class)
class AtomicTest {

    private static final int MANY = 32;

    private final Container web;
    private final AtomicInteger runs = new AtomicInteger();
    private final CompletableFuture<TestApp> served = new CompletableFuture<>();

    AtomicTest(Container web) {
        this.web = web;
    }

    /** Increments the counter in another transaction. */
    private void interfere() {
        TestApp app = served.join();
        new Transactions(app.store, app.time).run(Counter::increment);
    }

    /** Increments the counter; the first run has a write conflict. */
    private final TestApp.Handler conflicting = (request, response) -> {
        int count = Counter.increment(IdempotencyFilter.transaction(request));
        String body = new String(request.getInputStream().readAllBytes(), UTF_8);
        if (runs.incrementAndGet() == 1) {
            response.setStatus(202);
            response.setHeader("X-First", "yes");
            response.setContentType("text/html;charset=utf-16");
            response.setLocale(Locale.ITALY);
            response.getWriter().print("the first run says a lot more than the second");
            interfere();
        } else {
            response.getOutputStream().print(body + count);
        }
    };

    @Test
    void writeConflict_runsTheHandlerAgainFromTheStart() throws Exception {
        try (TestApp app = TestApp.on(web).serve(conflicting)) {
            served.complete(app);
            HttpResponse<byte[]> reply = app.post("/").key("k").body("body ").send();
            assertThat(runs).hasValue(2);
            assertThat(reply.statusCode()).isEqualTo(200);
            assertThat(text(reply)).isEqualTo("body 2");
            assertThat(reply.headers().map()).doesNotContainKeys("x-first", "content-type", "content-language");
            assertThat(Counter.read(app.store)).isEqualTo(2);
            HttpResponse<byte[]> again = app.post("/").key("k").body("body ").send();
            assertThat(text(again)).isEqualTo("body 2");
            assertThat(again.headers().map()).doesNotContainKeys("content-type", "content-language");
        }
    }

    @Test
    void writeConflictOnEveryRetry_isUnavailableAndMayBeRetried() throws Exception {
        AtomicInteger rivals = new AtomicInteger(1_000);
        try (TestApp app = TestApp.on(web).serve((request, response) -> {
            Counter.increment(IdempotencyFilter.transaction(request));
            if (rivals.getAndDecrement() > 0) {
                interfere();
            }
        })) {
            served.complete(app);
            HttpResponse<byte[]> reply = app.post("/").key("k").send();
            assertProblem(reply, 503, "store_unavailable", "Store unavailable");
            rivals.set(0);
            assertThat(app.post("/").key("k").send().statusCode()).isEqualTo(200);
        }
    }

    /** Jetty runs the filters behind the idempotency filter again, Tomcat does not. */
    @Test
    void filterBehind_isRunAgainOnSomeContainersOnly() throws Exception {
        AtomicInteger passed = new AtomicInteger();
        Filter behind = (request, response, chain) -> {
            passed.incrementAndGet();
            chain.doFilter(request, response);
        };
        try (TestApp app = TestApp.on(web).behind(behind).serve(conflicting)) {
            served.complete(app);
            assertThat(text(app.post("/").key("k").send())).isEqualTo("2");
            assertThat(passed).hasValue(web == Container.JETTY ? 2 : 1);
        }
    }

    @Test
    void filterBehindThatWrapsTheRequestAndIsSkipped_isDetected() throws Exception {
        Filter behind = (request, response, chain) ->
                chain.doFilter(new HttpServletRequestWrapper((HttpServletRequest) request), response);
        try (TestApp app = TestApp.on(web).behind(behind).serve(conflicting)) {
            served.complete(app);
            HttpResponse<byte[]> reply = app.post("/").key("k").send();
            assertThat(reply.statusCode()).isEqualTo(web == Container.JETTY ? 200 : 500);
            assertThat(Counter.read(app.store)).isEqualTo(web == Container.JETTY ? 2 : 1);
        }
    }

    @Test
    void filterThatIsCalledByTheServlet_runsTheHandlerAgainOnEveryContainer() throws Exception {
        AtomicInteger passed = new AtomicInteger();
        Filter between = (request, response, chain) -> {
            passed.incrementAndGet();
            chain.doFilter(new HttpServletRequestWrapper((HttpServletRequest) request), response);
        };
        MemoryStore store = new MemoryStore();
        IdempotencyFilter filter =
                new IdempotencyFilter(Once.on(store), request -> "ann", request -> Idempotency.atomic());
        try (TestApp app = TestApp.on(web)
                .on(store)
                .rule(Idempotency.NONE)
                .behind(between)
                .serve((request, response) -> filter.doFilter(
                        request,
                        response,
                        (again, reply) ->
                                conflicting.handle((HttpServletRequest) again, (HttpServletResponse) reply)))) {
            served.complete(app);
            assertThat(text(app.post("/").key("k").send())).isEqualTo("2");
            assertThat(runs).hasValue(2);
            assertThat(passed).hasValue(1);
        }
    }

    @Test
    void filterBehindThatRejects_isNotBypassedAfterAWriteConflict() throws Exception {
        AtomicInteger rejected = new AtomicInteger();
        DocumentStore shared = new MemoryStore();
        try (TestApp other = TestApp.on(web).on(shared).serve((request, response) -> response.setStatus(500));
                TestApp app = TestApp.on(web)
                        .on(shared)
                        .behind((request, response, chain) -> {
                            rejected.incrementAndGet();
                            ((HttpServletResponse) response).setStatus(403);
                        })
                        .serve((request, response) -> runs.incrementAndGet())) {
            AtomicInteger commits = new AtomicInteger();
            app.store.beforeCommit(() -> {
                if (commits.getAndIncrement() == 0) {
                    try {
                        other.post("/").key("k").send();
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                }
            });
            assertThat(app.post("/").key("k").send().statusCode()).isEqualTo(403);
            assertThat(commits).hasValue(2);
            assertThat(rejected).hasValue(1);
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void manyAtOnceWithOneKey_haveOneEffect() throws Exception {
        try (TestApp app = TestApp.on(web)
                .serve((request, response) -> response.getOutputStream()
                        .print("" + Counter.increment(IdempotencyFilter.transaction(request))))) {
            List<HttpResponse<byte[]>> replies = race(List.of(app), "k", "k");
            assertThat(replies)
                    .allSatisfy(reply -> assertThat(reply.statusCode()).isIn(200, 409));
            assertThat(replies.stream().filter(reply -> reply.statusCode() == 200))
                    .isNotEmpty()
                    .allSatisfy(reply -> assertThat(text(reply)).isEqualTo("1"));
            assertThat(replies.stream()
                            .filter(reply ->
                                    !header(reply, "Idempotency-Expires").isEmpty()))
                    .hasSize(1);
            assertThat(Counter.read(app.store)).isEqualTo(1);
        }
    }

    @Test
    void manyAtOnceOnTwoServers_haveOneEffectForEachKey() throws Exception {
        DocumentStore shared = new MemoryStore();
        TestApp.Handler handler = (request, response) ->
                response.getOutputStream().print("" + Counter.increment(IdempotencyFilter.transaction(request)));
        try (TestApp one = TestApp.on(web).on(shared).serve(handler);
                TestApp two = TestApp.on(web).on(shared).serve(handler)) {
            race(List.of(one, two), "k1", "k2");
            for (String key : List.of("k1", "k2")) {
                HttpResponse<byte[]> here = one.post("/").key(key).send();
                HttpResponse<byte[]> there = two.post("/").key(key).send();
                assertThat(isReplay(here) && isReplay(there)).isTrue();
                assertThat(here.body()).isEqualTo(there.body());
            }
            assertThat(Counter.read(one.store)).isEqualTo(2);
        }
    }

    private static List<HttpResponse<byte[]>> race(List<TestApp> sites, String key, String otherKey) throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        List<CompletableFuture<HttpResponse<byte[]>>> racing = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            TestApp app = sites.get(i % sites.size());
            String mine = i / 2 % 2 == 0 ? key : otherKey;
            CompletableFuture<HttpResponse<byte[]>> reply = new CompletableFuture<>();
            racing.add(reply);
            Thread thread = new Thread(() -> {
                try {
                    start.await();
                    reply.complete(app.post("/").key(mine).send());
                } catch (Exception e) {
                    reply.completeExceptionally(e);
                }
            });
            thread.start();
            threads.add(thread);
        }
        start.countDown();
        List<HttpResponse<byte[]>> replies = new ArrayList<>();
        for (CompletableFuture<HttpResponse<byte[]>> reply : racing) {
            replies.add(reply.get(60, TimeUnit.SECONDS));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return replies;
    }

    @Test
    void clientThatDisconnects_getsTheResponseOnRetry() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (TestApp app = TestApp.on(web).serve((request, response) -> {
            inside.countDown();
            try {
                assertThat(goOn.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted", e);
            }
            response.getOutputStream().print("" + Counter.increment(IdempotencyFilter.transaction(request)));
        })) {
            try (Socket socket = app.connect()) {
                TestApp.send(
                        socket,
                        "POST / HTTP/1.1\r\nHost: a\r\nX-User: ann\r\nContent-Length: 0\r\nIdempotency-Key: k\r\n\r\n");
                assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();
                socket.setSoLinger(true, 0); // reset
            }
            CompletableFuture<HttpResponse<byte[]>> back =
                    app.post("/").key("k").header("Prefer", "wait=30").later();
            app.time.awaitScheduled(1);
            goOn.countDown();
            HttpResponse<byte[]> reply = back.get(30, TimeUnit.SECONDS);
            assertThat(text(reply)).isEqualTo("1");
            assertThat(isReplay(reply)).isTrue();
            assertThat(Counter.read(app.store)).isEqualTo(1);
        }
    }

    @Test
    void transactionOfALeasedRequestOrOneWithoutKey_isRejected() throws Exception {
        TestApp.Handler handler = (request, response) -> {
            runs.incrementAndGet();
            assertThatThrownBy(() -> IdempotencyFilter.transaction(request)).isInstanceOf(IllegalStateException.class);
            assertThat(IdempotencyFilter.transactionIfAny(request)).isEmpty();
        };
        try (TestApp atomic = TestApp.on(web).serve(handler);
                TestApp leased = TestApp.on(web)
                        .rule(Idempotency.leased(IfAbandoned.RERUN))
                        .serve(handler)) {
            assertThat(atomic.post("/").send().statusCode()).isEqualTo(200);
            assertThat(leased.post("/").key("k").send().statusCode()).isEqualTo(200);
            assertThat(runs).hasValue(2);
        }
    }

    @Test
    void transactionAfterTheRequest_isClosed() throws Exception {
        CompletableFuture<Transaction> kept = new CompletableFuture<>();
        try (TestApp app =
                TestApp.on(web).serve((request, response) -> kept.complete(IdempotencyFilter.transaction(request)))) {
            app.post("/").key("k").send();
            assertThatThrownBy(() -> Counter.increment(kept.join())).isInstanceOf(IllegalStateException.class);
        }
    }
}
