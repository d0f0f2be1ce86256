package dev.semel.server.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.PlaywrightException;
import dev.semel.memory.MemoryStore;
import dev.semel.server.Apps;
import dev.semel.server.ServerFixture;
import dev.semel.store.Quota;
import dev.semel.store.Time;
import dev.semel.testkit.Eventually;
import dev.semel.testkit.TestSize;
import dev.semel.testkit.client.Fault;
import dev.semel.testkit.client.FaultProxy;
import dev.semel.web.Chromium;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The browser outbox and a server, with a network between them that goes down. */
class BrowserOutboxTest {

    private static final int MANY = TestSize.of(1_000, 10_000);
    private static final int LANES = 4;

    @TempDir
    private Path temp;

    private static Chromium chromium;
    private static Browser browser;
    private static ServerFixture server;

    @BeforeAll
    static void start() {
        chromium = Chromium.find();
        browser = chromium.start();
        server = ServerFixture.on(
                new MemoryStore(),
                Time.system(),
                Apps::all,
                settings -> settings.withOnce(once -> once.withQuota(Quota.NONE)));
    }

    @AfterAll
    static void stop() {
        if (chromium != null) {
            chromium.close();
        }
        if (server != null) {
            server.close();
        }
    }

    private static FaultProxy network(ServerFixture to) {
        FaultProxy proxy = new FaultProxy((request, attempt) -> Fault.NONE, target -> {}, InstantSource.system());
        proxy.closeAfterEachResponse();
        proxy.forwardTo(to.server().port());
        return proxy;
    }

    private static BrowserContext context() {
        return browser.newContext(new Browser.NewContextOptions().setBypassCSP(true));
    }

    private static Page tab(BrowserContext context, URI origin) throws IOException {
        Page tab = context.newPage();
        tab.navigate(origin.resolve("/health/live").toString());
        try (InputStream in = Objects.requireNonNull(Chromium.class.getResourceAsStream("harness.js"))) {
            String script = new String(in.readAllBytes(), UTF_8);
            tab.addScriptTag(new Page.AddScriptTagOptions().setType("module").setContent(script));
        }
        tab.waitForFunction("window.harness !== undefined");
        return tab;
    }

    private static void open(Page tab, URI api, String user) {
        tab.evaluate(
                "([base, user]) => { harness.open({ base, user, token: () => harness.devToken(base, user) }, { speed: 20 }) }",
                List.of(api.toString().replaceAll("/$", ""), user));
    }

    private static void add(Page tab, String text) {
        tab.evaluate(
                "(text) => harness.outbox.add({ endpoint: '/v1/feed/posts', payload: { text } }).then(() => {})", text);
    }

    private static String counts(Page tab) {
        return (String) tab.evaluate("async () => JSON.stringify(await harness.outbox.counts())");
    }

    private static void awaitConfirmed(Page tab, int count) {
        Eventually.assertHolds(
                () -> assertThat(counts(tab)).isEqualTo("{\"pending\":0,\"failed\":0,\"confirmed\":" + count + "}"));
    }

    private static List<String> posts(ServerFixture of, String author) {
        List<String> texts = new ArrayList<>();
        String after = "";
        do {
            var page = of.as("reader")
                    .get("/v1/feed/posts?limit=1000&after=" + after)
                    .json();
            page.get("items").forEach(post -> {
                if (post.get("author").stringValue().equals(author)) {
                    texts.add(0, post.get("text").stringValue());
                }
            });
            after = page.get("next").isNull() ? "" : page.get("next").stringValue();
        } while (!after.isEmpty());
        return texts;
    }

    private static void networkIsBack(FaultProxy proxy, Page tab) {
        proxy.network(true);
        tab.evaluate("() => { window.dispatchEvent(new Event('online')) }");
    }

    @Test
    void manyEntries_thatWereAddedOffline_areSentOnce_inOrder() throws IOException {
        try (FaultProxy proxy = network(server);
                BrowserContext context = context()) {
            Page tab = tab(context, proxy.uri());
            proxy.network(false);
            open(tab, proxy.uri(), "many");
            tab.evaluate("""
                    ([count, lanes]) => Promise.all(Array.from({ length: count }, (_, i) =>
                      harness.outbox.add({ endpoint: "/v1/feed/posts", payload: { text: i % lanes + "/" + i }, lane: "lane" + i % lanes })))
                      .then(() => {})""", List.of(MANY, LANES));
            assertThat(counts(tab)).startsWith("{\"pending\":" + MANY);
            networkIsBack(proxy, tab);
            Eventually.assertHolds(
                    Duration.ofMinutes(5), () -> assertThat(counts(tab)).startsWith("{\"pending\":0,\"failed\":0"));
            List<String> posts = posts(server, "many");
            for (int lane = 0; lane < LANES; lane++) {
                String prefix = lane + "/";
                int first = lane;
                assertThat(posts.stream().filter(text -> text.startsWith(prefix)))
                        .containsExactlyElementsOf(IntStream.range(0, MANY / LANES)
                                .mapToObj(i -> prefix + (first + i * LANES))
                                .toList());
            }
        }
    }

    /** A server that is started again in dev mode rejects the tokens of the one before. */
    @Test
    void tokenThatExpiresWhileOffline_isReplaced() throws IOException {
        try (ServerFixture old = ServerFixture.onMemory();
                FaultProxy proxy = network(old);
                BrowserContext context = context()) {
            Page tab = tab(context, proxy.uri());
            open(tab, proxy.uri(), "expiring");
            add(tab, "before");
            awaitConfirmed(tab, 1);
            proxy.network(false);
            add(tab, "after");
            proxy.forwardTo(server.server().port());
            networkIsBack(proxy, tab);
            awaitConfirmed(tab, 2);
            assertThat(posts(server, "expiring")).containsExactly("after");
        }
    }

    @Test
    void browserThatIsKilled_hasItsEntriesWhenItIsStartedAgain() throws IOException {
        Path profile = temp.resolve("profile");
        try (FaultProxy proxy = network(server)) {
            BrowserContext first = chromium.start(profile);
            Page tab = tab(first, proxy.uri());
            proxy.network(false);
            open(tab, proxy.uri(), "killed");
            add(tab, "a");
            add(tab, "b");
            ProcessHandle.current()
                    .descendants()
                    .filter(process -> process.info().commandLine().orElse("").contains(profile.toString()))
                    .forEach(ProcessHandle::destroyForcibly);
            Eventually.assertHolds(() -> {
                try {
                    tab.evaluate("1");
                    throw new AssertionError("The browser is still there");
                } catch (PlaywrightException e) {
                    // it has ended
                }
            });
            proxy.network(true);
            try (BrowserContext second = chromium.start(profile)) {
                Page again = tab(second, proxy.uri());
                open(again, proxy.uri(), "killed");
                awaitConfirmed(again, 2);
            }
            assertThat(posts(server, "killed")).containsExactly("a", "b");
        }
    }

    @Test
    void pageOfAnotherOrigin_sendsIfItIsAllowed_andLearnsTheLifeOfKeys() throws IOException {
        URI page = server.uri("/");
        String origin = page.toString().replaceAll("/$", "");
        try (ServerFixture api = ServerFixture.on(
                        new MemoryStore(),
                        Time.system(),
                        Apps::all,
                        settings -> settings.withCorsOrigins(Set.of(origin))
                                .withOnce(once -> once.withRetention(Duration.ofHours(2))));
                BrowserContext context = context()) {
            Page tab = tab(context, page);
            assertThat(tab.evaluate(
                            "async (module) => (await import(module)).Outbox.name",
                            api.uri("/assets/outbox/outbox.js").toString()))
                    .isEqualTo("Outbox");
            open(tab, api.uri("/"), "elsewhere");
            add(tab, "hello");
            awaitConfirmed(tab, 1);
            assertThat(posts(api, "elsewhere")).containsExactly("hello");
            Eventually.assertHolds(() -> assertThat((Double) tab.evaluate("""
                            () => new Promise((resolve) => {
                              const open = indexedDB.open("semel-outbox:outbox:elsewhere");
                              open.onsuccess = () => {
                                const get = open.result.transaction("meta").objectStore("meta").get("keyLife");
                                get.onsuccess = () => { open.result.close(); resolve((get.result ?? 0) + 0.5); };
                              };
                            })""")).isBetween(7_190_000.0, 7_210_000.0));
        }
    }
}
