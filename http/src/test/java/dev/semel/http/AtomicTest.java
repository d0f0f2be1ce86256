package dev.semel.http;

import static dev.semel.http.Answers.assertProblem;
import static dev.semel.http.Answers.header;
import static dev.semel.http.Answers.isReplay;
import static dev.semel.http.Answers.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.once.Once;
import dev.semel.store.IfAbandoned;
import dev.semel.store.MemoryStore;
import dev.semel.store.Store;
import dev.semel.store.Transaction;
import dev.semel.store.Transactions;
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

/** Handlers that write in the request's transaction. */
@ParameterizedClass
@EnumSource(Web.class)
class AtomicTest {

    private static final int MANY = 32;

    private final Web web;
    private final AtomicInteger runs = new AtomicInteger();
    private final CompletableFuture<Site> served = new CompletableFuture<>();

    AtomicTest(Web web) {
        this.web = web;
    }

    /** Somebody else counts, too, in a transaction of their own. */
    private void interfere() {
        Site site = served.join();
        new Transactions(site.store, site.time).run(Counter::increment);
    }

    /** Counts; and the first time somebody else is quicker. */
    private final Site.Handler overtaken = (request, response) -> {
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
    void handlerThatWasOvertaken_runsAgainFromTheStart() throws Exception {
        try (Site site = Site.on(web).serve(overtaken)) {
            served.complete(site);
            HttpResponse<byte[]> answer = site.post("/").key("k").body("body ").send();
            assertThat(runs).hasValue(2);
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(text(answer)).isEqualTo("body 2");
            assertThat(answer.headers().map()).doesNotContainKeys("x-first", "content-type", "content-language");
            assertThat(Counter.read(site.store)).isEqualTo(2);
            HttpResponse<byte[]> again = site.post("/").key("k").body("body ").send();
            assertThat(text(again)).isEqualTo("body 2");
            assertThat(again.headers().map()).doesNotContainKeys("content-type", "content-language");
        }
    }

    @Test
    void handlerThatIsOvertakenAlways_isGivenUpAndMayBeTriedAgain() throws Exception {
        AtomicInteger rivals = new AtomicInteger(1_000);
        try (Site site = Site.on(web).serve((request, response) -> {
            Counter.increment(IdempotencyFilter.transaction(request));
            if (rivals.getAndDecrement() > 0) {
                interfere();
            }
        })) {
            served.complete(site);
            HttpResponse<byte[]> answer = site.post("/").key("k").send();
            assertProblem(answer, 503, "store_unavailable", "Store unavailable");
            rivals.set(0);
            assertThat(site.post("/").key("k").send().statusCode()).isEqualTo(200);
        }
    }

    /** Why the filter belongs right in front of the servlet: Jetty runs the filters behind it again, Tomcat does not. */
    @Test
    void filterBehind_isRunAgainOnSomeContainersOnly() throws Exception {
        AtomicInteger passed = new AtomicInteger();
        Filter behind = (request, response, chain) -> {
            passed.incrementAndGet();
            chain.doFilter(request, response);
        };
        try (Site site = Site.on(web).behind(behind).serve(overtaken)) {
            served.complete(site);
            assertThat(text(site.post("/").key("k").send())).isEqualTo("2");
            assertThat(passed).hasValue(web == Web.JETTY ? 2 : 1);
        }
    }

    @Test
    void filterBehindThatWrapsTheRequestAndIsSkipped_isNoticed() throws Exception {
        Filter behind = (request, response, chain) ->
                chain.doFilter(new HttpServletRequestWrapper((HttpServletRequest) request), response);
        try (Site site = Site.on(web).behind(behind).serve(overtaken)) {
            served.complete(site);
            HttpResponse<byte[]> answer = site.post("/").key("k").send();
            assertThat(answer.statusCode()).isEqualTo(web == Web.JETTY ? 200 : 500);
            assertThat(Counter.read(site.store)).isEqualTo(web == Web.JETTY ? 2 : 1);
        }
    }

    /** The way out where filters cannot be ordered. */
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
        try (Site site = Site.on(web)
                .on(store)
                .rule(Idempotency.NONE)
                .behind(between)
                .serve((request, response) -> filter.doFilter(
                        request,
                        response,
                        (again, answer) ->
                                overtaken.handle((HttpServletRequest) again, (HttpServletResponse) answer)))) {
            served.complete(site);
            assertThat(text(site.post("/").key("k").send())).isEqualTo("2");
            assertThat(runs).hasValue(2);
            assertThat(passed).hasValue(1);
        }
    }

    /** A chain that goes on from where it stopped must not carry a request past the filter that has refused it. */
    @Test
    void filterBehindThatRefuses_isNotPassedWhenTheKeyIsLookedUpAgain() throws Exception {
        AtomicInteger refused = new AtomicInteger();
        Store shared = new MemoryStore();
        try (Site other = Site.on(web).on(shared).serve((request, response) -> response.setStatus(500));
                Site site = Site.on(web)
                        .on(shared)
                        .behind((request, response, chain) -> {
                            refused.incrementAndGet();
                            ((HttpServletResponse) response).setStatus(403);
                        })
                        .serve((request, response) -> runs.incrementAndGet())) {
            AtomicInteger commits = new AtomicInteger();
            site.store.beforeCommit(() -> {
                if (commits.getAndIncrement() == 0) {
                    try {
                        other.post("/").key("k").send();
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                }
            });
            assertThat(site.post("/").key("k").send().statusCode()).isEqualTo(403);
            assertThat(commits).hasValue(2);
            assertThat(refused).hasValue(1);
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void manyAtOnceWithOneKey_haveOneEffect() throws Exception {
        try (Site site = Site.on(web)
                .serve((request, response) -> response.getOutputStream()
                        .print("" + Counter.increment(IdempotencyFilter.transaction(request))))) {
            List<HttpResponse<byte[]>> answers = race(List.of(site), "k", "k");
            assertThat(answers)
                    .allSatisfy(answer -> assertThat(answer.statusCode()).isIn(200, 409));
            assertThat(answers.stream().filter(answer -> answer.statusCode() == 200))
                    .isNotEmpty()
                    .allSatisfy(answer -> assertThat(text(answer)).isEqualTo("1"));
            assertThat(answers.stream()
                            .filter(answer ->
                                    !header(answer, "Idempotency-Expires").isEmpty()))
                    .hasSize(1);
            assertThat(Counter.read(site.store)).isEqualTo(1);
        }
    }

    @Test
    void manyAtOnceOnTwoServers_haveOneEffectForEachKey() throws Exception {
        Store shared = new MemoryStore();
        Site.Handler handler = (request, response) ->
                response.getOutputStream().print("" + Counter.increment(IdempotencyFilter.transaction(request)));
        try (Site one = Site.on(web).on(shared).serve(handler);
                Site two = Site.on(web).on(shared).serve(handler)) {
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

    private static List<HttpResponse<byte[]>> race(List<Site> sites, String key, String otherKey) throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        List<CompletableFuture<HttpResponse<byte[]>>> racing = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            Site site = sites.get(i % sites.size());
            String mine = i / 2 % 2 == 0 ? key : otherKey;
            CompletableFuture<HttpResponse<byte[]>> answer = new CompletableFuture<>();
            racing.add(answer);
            Thread thread = new Thread(() -> {
                try {
                    start.await();
                    answer.complete(site.post("/").key(mine).send());
                } catch (Exception e) {
                    answer.completeExceptionally(e);
                }
            });
            thread.start();
            threads.add(thread);
        }
        start.countDown();
        List<HttpResponse<byte[]>> answers = new ArrayList<>();
        for (CompletableFuture<HttpResponse<byte[]>> answer : racing) {
            answers.add(answer.get(60, TimeUnit.SECONDS));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return answers;
    }

    @Test
    void clientThatGoesAway_findsTheAnswerWhenItComesBack() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (Site site = Site.on(web).serve((request, response) -> {
            inside.countDown();
            try {
                assertThat(goOn.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted", e);
            }
            response.getOutputStream().print("" + Counter.increment(IdempotencyFilter.transaction(request)));
        })) {
            try (Socket socket = site.connect()) {
                Site.send(
                        socket,
                        "POST / HTTP/1.1\r\nHost: a\r\nX-User: ann\r\nContent-Length: 0\r\nIdempotency-Key: k\r\n\r\n");
                assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();
                socket.setSoLinger(true, 0); // reset
            }
            CompletableFuture<HttpResponse<byte[]>> back =
                    site.post("/").key("k").header("Prefer", "wait=30").later();
            site.time.awaitScheduled(1);
            goOn.countDown();
            HttpResponse<byte[]> answer = back.get(30, TimeUnit.SECONDS);
            assertThat(text(answer)).isEqualTo("1");
            assertThat(isReplay(answer)).isTrue();
            assertThat(Counter.read(site.store)).isEqualTo(1);
        }
    }

    @Test
    void transactionOfALeasedRequestOrOneWithoutKey_isRefused() throws Exception {
        Site.Handler handler = (request, response) -> {
            runs.incrementAndGet();
            assertThatThrownBy(() -> IdempotencyFilter.transaction(request)).isInstanceOf(IllegalStateException.class);
            assertThat(IdempotencyFilter.transactionIfAny(request)).isEmpty();
        };
        try (Site atomic = Site.on(web).serve(handler);
                Site leased =
                        Site.on(web).rule(Idempotency.leased(IfAbandoned.RERUN)).serve(handler)) {
            assertThat(atomic.post("/").send().statusCode()).isEqualTo(200);
            assertThat(leased.post("/").key("k").send().statusCode()).isEqualTo(200);
            assertThat(runs).hasValue(2);
        }
    }

    @Test
    void transactionAfterTheEnd_isOver() throws Exception {
        CompletableFuture<Transaction> kept = new CompletableFuture<>();
        try (Site site =
                Site.on(web).serve((request, response) -> kept.complete(IdempotencyFilter.transaction(request)))) {
            site.post("/").key("k").send();
            assertThatThrownBy(() -> Counter.increment(kept.join())).isInstanceOf(IllegalStateException.class);
        }
    }
}
