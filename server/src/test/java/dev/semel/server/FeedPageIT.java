package dev.semel.server;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import dev.semel.testkit.Eventually;
import dev.semel.testkit.TestSize;
import dev.semel.web.Chromium;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The feed page in Chromium, with a server process and a network that goes down. Pages are used by their accessible names. */
class FeedPageIT {

    private static final double PATIENCE = 30_000;
    private static final Path PICTURES = Path.of("target", "pictures");
    private static final String AXE = "/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js";
    private static final int MANY = TestSize.of(600, 10_000);
    private static final String LONG_TEXT = "lorem \u05D0\u05D1\u05D2 ".repeat(10_000);

    @TempDir
    private static Path temp;

    private static Chromium chromium;
    private static Browser browser;
    private static ServerProcess server;
    private static int users;

    private final List<BrowserContext> contexts = new ArrayList<>();
    private Relay relay;
    private String ann;
    private String bob;

    @BeforeAll
    static void start() throws Exception {
        chromium = Chromium.find();
        browser = chromium.start();
        server = ServerProcess.start(store());
    }

    private static String store() {
        return "rocksdb:" + temp.resolve("store");
    }

    @AfterAll
    static void stop() throws Exception {
        if (chromium != null) {
            chromium.close();
        }
        if (server != null) {
            server.kill();
        }
    }

    @BeforeEach
    void open() {
        relay = new Relay(port());
        users++;
        ann = "ann" + users;
        bob = "bob" + users;
    }

    @AfterEach
    void close() throws IOException {
        contexts.forEach(BrowserContext::close);
        relay.close();
    }

    private static int port() {
        return URI.create(server.url()).getPort();
    }

    private BrowserContext device() {
        BrowserContext context = browser.newContext(new Browser.NewContextOptions()
                .setViewportSize(1100, 800)
                .setReducedMotion(ReducedMotion.REDUCE)
                .setLocale("en-GB"));
        context.setDefaultTimeout(PATIENCE);
        contexts.add(context);
        return context;
    }

    private Page tab(BrowserContext device) {
        Page page = device.newPage();
        page.navigate(relay.url());
        return page;
    }

    private Page signedIn(BrowserContext device, String user) {
        Page page = tab(device);
        signIn(page, user);
        return page;
    }

    private static void signIn(Page page, String user) {
        textbox(page, "Name").fill(user);
        button(page, "Sign in").click();
        shows(status(page), "Online");
    }

    private static Locator textbox(Page page, String name) {
        return page.getByRole(AriaRole.TEXTBOX, new Page.GetByRoleOptions().setName(name));
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    private static Locator button(Locator in, String name) {
        return in.getByRole(
                AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(name).setExact(true));
    }

    /** Returns the status of the page. */
    private static Locator status(Page page) {
        return page.locator("main > .line").getByRole(AriaRole.STATUS);
    }

    private static Locator statusOf(Locator article) {
        return article.getByRole(AriaRole.STATUS);
    }

    private static Locator article(Page page, String text) {
        return page.getByRole(AriaRole.FEED)
                .getByRole(AriaRole.ARTICLE)
                .filter(new Locator.FilterOptions().setHasText(text));
    }

    private static void shows(Locator locator, String text) {
        assertThat(locator).hasText(text, new LocatorAssertions.HasTextOptions().setTimeout(PATIENCE));
    }

    private static void isVisible(Locator locator) {
        assertThat(locator).isVisible(new LocatorAssertions.IsVisibleOptions().setTimeout(PATIENCE));
    }

    private static void isGone(Locator locator) {
        assertThat(locator).hasCount(0, new LocatorAssertions.HasCountOptions().setTimeout(PATIENCE));
    }

    private static void write(Page page, String text) {
        textbox(page, "Write a post").fill(text);
        button(page, "Post").click();
    }

    private static void comment(Locator article, String text) {
        button(article, "Comment").click();
        article.getByRole(AriaRole.TEXTBOX, new Locator.GetByRoleOptions().setName("Write a comment"))
                .fill(text);
        button(article, "Send").click();
    }

    /** Waits until a post is confirmed. */
    private static void arrived(Locator article) {
        isVisible(button(article, "Send again"));
        assertThat(statusOf(article)).hasCount(0);
    }

    private void goOffline(Page page) {
        page.waitForFunction("() => navigator.serviceWorker.controller !== null");
        relay.network(false);
        page.getByText("Offline –").waitFor();
    }

    /** Returns the texts of an author, newest first. */
    private static List<String> posted(String author) throws Exception {
        return server.items("/v1/feed/posts").stream()
                .filter(post -> post.get("author").asString().equals(author))
                .map(post -> post.get("text").asString())
                .toList();
    }

    private static void restart() throws Exception {
        server.kill();
        server = ServerProcess.start(store());
    }

    @Test
    void postsThatAreWrittenOffline_surviveReload_closedTab_andRestart_andArriveOnce() throws Exception {
        BrowserContext device = device();
        Page page = signedIn(device, ann);
        Page other = signedIn(device(), bob);
        goOffline(page);
        write(page, "written first");
        write(page, "written second");
        comment(article(page, "written first"), "to what is not there yet");
        shows(status(page), "Offline – 3 changes waiting");
        shows(statusOf(article(page, "written second")), "Waiting");
        page.reload();
        shows(status(page), "Offline – 3 changes waiting");
        shows(statusOf(article(page, "written first")), "Waiting");
        page.close();

        restart();
        relay.forwardTo(port());
        relay.network(true);
        Page again = tab(device);
        shows(status(again), "Online");
        arrived(article(again, "written second"));
        arrived(article(again, "written first"));
        isVisible(article(again, "written first").getByText("1 comment"));
        assertThat(posted(ann)).containsExactly("written second", "written first");
        assertThat(article(again, "written first").count()
                        + article(again, "written second").count())
                .isEqualTo(2);

        // the token of a tab that stayed open is renewed, and it has missed nothing
        shows(status(other), "Online");
        isVisible(article(other, "written first"));
        write(other, "with a new token");
        isVisible(article(again, "with a new token"));
    }

    @Test
    void responseThatIsLost_isSentAgain_andReplayed() throws Exception {
        Page page = signedIn(device(), ann);
        relay.loseResponses(2);
        write(page, "lost once");
        arrived(article(page, "lost once"));
        assertThat(posted(ann)).containsExactly("lost once");
        button(article(page, "lost once"), "Send again").click();
        shows(statusOf(article(page, "lost once")), "Replayed");
        assertThat(posted(ann)).containsExactly("lost once");
    }

    @Test
    void changesOfAll_areShownAtOnce_onAllDevices() {
        Page one = signedIn(device(), ann);
        BrowserContext bobs = device();
        Page two = signedIn(bobs, bob);
        Page three = tab(bobs);
        write(one, "hello");
        isVisible(article(two, "hello"));
        isVisible(article(three, "hello"));
        assertThat(button(article(two, "hello"), "Delete")).hasCount(0);
        button(article(two, "hello"), "Like (0)").click();
        isVisible(button(article(one, "hello"), "Like (1)"));
        isVisible(button(article(three, "hello"), "Like (1)"));
        button(article(one, "hello"), "Comment").click();
        comment(article(two, "hello"), "from bob");
        isVisible(article(one, "hello").getByText("from bob"));
        assertThat(article(two, "hello").getByText("from bob")).hasCount(1);
        button(article(one, "hello"), "Delete").click();
        isGone(article(two, "hello"));
        isGone(article(one, "hello"));
    }

    @Test
    void commentOnAPostThatWasDeletedMeanwhile_fails_untilItIsDiscarded() {
        Page one = signedIn(device(), ann);
        write(one, "contested");
        arrived(article(one, "contested"));
        try (Relay second = new Relay(port())) {
            Page two = device().newPage();
            two.navigate(second.url());
            signIn(two, ann);
            isVisible(article(two, "contested"));
            goOffline(one);
            comment(article(one, "contested"), "too late");
            shows(statusOf(article(one, "contested")), "Waiting");
            button(article(two, "contested"), "Delete").click();
            isGone(article(two, "contested"));
            relay.network(true);
            Locator failed = one.getByRole(AriaRole.ARTICLE).filter(new Locator.FilterOptions().setHasText("Failed:"));
            shows(statusOf(failed), "Failed: There is no such post");
            button(failed, "Retry").click();
            shows(statusOf(failed), "Failed: There is no such post");
            button(failed, "Discard").click();
            isGone(failed);
            shows(status(one), "Online");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void signingOutWithChangesWaiting_asks_andNobodyElseSendsThem() throws Exception {
        Page page = signedIn(device(), ann);
        goOffline(page);
        write(page, "only mine");
        shows(status(page), "Offline – 1 changes waiting");
        button(page, "Sign out").click();
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        isVisible(dialog.getByText("One change has not been sent"));
        page.keyboard().press("Escape");
        isGone(dialog);
        button(page, "Sign out").click();
        button(dialog, "Sign out anyway").click();
        isVisible(button(page, "Sign in"));
        relay.network(true);
        signIn(page, bob);
        write(page, "of another");
        arrived(article(page, "of another"));
        assertThat(posted(ann)).isEmpty();
        button(page, "Sign out").click();
        signIn(page, ann);
        arrived(article(page, "only mine"));
        assertThat(posted(ann)).containsExactly("only mine");
    }

    @Test
    void textOfUsers_isShownAsText() {
        Page page = signedIn(device(), ann);
        List<String> texts = List.of(
                "<script>window.hit = 1</script><img src=x onerror='window.hit = 2'>",
                "\u202Eright to left\u202C \u05D0\u05D1\u05D2",
                "\uD83D\uDC69\u200D\uD83D\uDCBB emoji",
                LONG_TEXT);
        for (String text : texts) {
            write(page, text);
            arrived(article(page, text.substring(0, 8)).first());
        }
        page.reload();
        for (String text : texts) {
            assertThat(article(page, text.substring(0, 8))
                            .first()
                            .locator(".text")
                            .first()
                            .textContent())
                    .isEqualTo(text);
        }
        assertThat(page.evaluate("window.hit")).isNull();
        page.evaluate(
                "() => { document.getElementById('text').value = 'half a pair: ' + String.fromCharCode(0xd800); }");
        button(page, "Post").click();
        isVisible(article(page, "half a pair: \uFFFD"));
    }

    @Test
    void manyPosts_areRenderedInPart_withoutLayoutShifts() throws Exception {
        IntStream.range(0, MANY).parallel().forEach(i -> {
            try {
                assertThat(server.post(
                                        "/v1/feed/posts",
                                        "{\"text\":\"many " + i + "\\n" + "x ".repeat(i % 90) + "\"}",
                                        "many-" + i)
                                .statusCode())
                        .isEqualTo(201);
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        Page page = signedIn(device(), ann);
        isVisible(article(page, "many").first());
        page.evaluate(
                "() => { window.shifts = []; new PerformanceObserver((list) => list.getEntries().forEach((e) => shifts.push(e.value)))"
                        + ".observe({ type: 'layout-shift' }); }");
        page.mouse().move(500, 500);
        int most = 0;
        Locator end = page.getByText("That is all.");
        for (int i = 0; i < MANY && !end.isVisible(); i++) {
            page.mouse().wheel(0, 4000);
            page.evaluate("() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))");
            most = Math.max(most, page.getByRole(AriaRole.ARTICLE).count());
        }
        isVisible(end);
        assertThat(most).isBetween(5, 100);
        assertThat(((List<?>) page.evaluate("shifts"))
                        .stream()
                                .mapToDouble(each -> ((Number) each).doubleValue())
                                .sum())
                .isLessThan(0.01);
        page.evaluate("() => window.scrollTo(0, document.documentElement.scrollHeight)");
        Locator last = page.getByRole(AriaRole.ARTICLE).last();
        Eventually.assertHolds(
                () -> assertThat(last.getAttribute("aria-posinset")).isEqualTo(last.getAttribute("aria-setsize")));
    }

    @Test
    void textThatIsWrittenWhileAPostIsStored_stays() {
        Page page = tab(device());
        signIn(page, ann);
        Locator field = textbox(page, "Write a post");
        field.evaluate(
                "field => { field.value = 'the first'; field.form.requestSubmit(); field.value = 'the second'; }");
        arrived(article(page, "the first"));
        assertThat(field).hasValue("the second");
        field.press("Control+Enter");
        arrived(article(page, "the second"));
        Locator first = article(page, "the first");
        button(first, "Comment").click();
        Locator reply = first.getByRole(AriaRole.TEXTBOX);
        reply.evaluate("field => { field.value = 'one'; field.form.requestSubmit(); field.value = 'two'; }");
        isVisible(first.getByText("1 comment"));
        assertThat(reply).hasValue("two");
    }

    @Test
    void keyboardAlone_isEnough() {
        Page page = tab(device());
        textbox(page, "Name").focus();
        page.keyboard().type(ann);
        page.keyboard().press("Enter");
        shows(status(page), "Online");
        textbox(page, "Write a post").focus();
        page.keyboard().type("by keys 1");
        page.keyboard().press("Control+Enter");
        arrived(article(page, "by keys 1"));
        page.keyboard().type("by keys 2");
        page.keyboard().press("Tab");
        assertThat(button(page, "Post")).isFocused();
        page.keyboard().press("Enter");
        arrived(article(page, "by keys 2"));
        page.keyboard().press("Tab");
        page.keyboard().press("Tab");
        assertThat(article(page, "by keys 2")).isFocused();
        page.keyboard().press("PageDown");
        assertThat(article(page, "by keys 1")).isFocused();
        page.keyboard().press("PageUp");
        page.keyboard().press("Tab");
        assertThat(button(article(page, "by keys 2"), "Like (0)")).isFocused();
        page.keyboard().press("Space");
        assertThat(button(article(page, "by keys 2"), "Like (1)")).isFocused();
        page.keyboard().press("Control+Home");
        assertThat(textbox(page, "Write a post")).isFocused();
    }

    @Test
    void mainStates_areAccessible_andPictured() throws Exception {
        BrowserContext device = device();
        try (InputStream in = FeedPageIT.class.getResourceAsStream(AXE)) {
            device.addInitScript(new String(Objects.requireNonNull(in).readAllBytes(), UTF_8));
        }
        Page page = tab(device);
        pictures(page, "sign-in");
        signIn(page, ann);
        write(page, "Every write happens exactly once, although clients retry, networks drop and machines die.");
        Locator first = article(page, "Every write");
        arrived(first);
        button(first, "Like (0)").click();
        comment(first, "Even this one.");
        isVisible(first.getByText("1 comment"));
        write(page, "A second post, to have more than one.");
        arrived(article(page, "A second"));
        button(article(page, "A second"), "Send again").click();
        shows(statusOf(article(page, "A second")), "Replayed");
        pictures(page, "replayed");
        goOffline(page);
        write(page, "Written in a tunnel.");
        write(page, "And another one.");
        shows(status(page), "Offline – 2 changes waiting");
        pictures(page, "offline");
        button(page, "Sign out").click();
        pictures(page, "dialog");
        button(page, "Cancel").click();
        relay.network(true);
        arrived(article(page, "And another"));
        relay.network(false);
        page.getByText("Offline –").waitFor();
        comment(article(page, "A second"), "on what is gone");
        Page remote = signedInDirectly(ann);
        button(article(remote, "A second"), "Delete").click();
        isGone(article(remote, "A second"));
        relay.network(true);
        isVisible(page.getByText("Failed: There is no such post"));
        pictures(page, "failed");
        String text = server.post(
                        "/api/submit",
                        "{\"title\":\"A short id\",\"body\":\"Short enough to read aloud.\"}",
                        "text" + users)
                .body();
        page.navigate(relay.url() + text.replaceAll(".*\"url\":\"([^\"]+)\".*", "$1"));
        pictures(page, "text");
        page.navigate(relay.url() + "/nothing");
        pictures(page, "not-found");
        page.navigate(relay.url() + "/documents");
        pictures(page, "documents");
    }

    private Page signedInDirectly(String user) {
        Page page = device().newPage();
        page.navigate(server.url());
        signIn(page, user);
        return page;
    }

    /** Takes pictures on a desktop and a phone, in light and dark, and checks each with axe. */
    private static void pictures(Page page, String name) {
        for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
            page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
            for (boolean isPhone : List.of(false, true)) {
                page.setViewportSize(isPhone ? 390 : 1100, isPhone ? 780 : 720);
                page.evaluate("() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))");
                String file = name
                        + (isPhone ? "-phone-" : "-desktop-")
                        + scheme.name().toLowerCase(Locale.ROOT);
                page.screenshot(new Page.ScreenshotOptions().setPath(PICTURES.resolve(file + ".png")));
                assertAccessible(page, file);
            }
        }
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.LIGHT));
        page.setViewportSize(1100, 720);
    }

    private static void assertAccessible(Page page, String state) {
        Object findings = page.evaluate("async () => (await axe.run()).violations.map((each) =>"
                + " each.id + ': ' + each.nodes.map((node) => node.target + ' ' + node.failureSummary).join('; '))");
        assertThat((List<?>) findings).as(state).isEmpty();
    }
}
