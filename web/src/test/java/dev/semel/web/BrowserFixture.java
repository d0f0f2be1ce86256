package dev.semel.web;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import dev.semel.testkit.Eventually;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import tools.jackson.databind.json.JsonMapper;

/** Tabs of a browser on a site that only this test uses. */
abstract class BrowserFixture {

    /** How many times faster than real time the clock of an outbox runs. */
    static final int SPEED = 20;

    private static final JsonMapper MAPPER = new JsonMapper();

    private static Chromium chromium;
    private static Browser browser;

    protected Site site;
    protected BrowserContext context;

    @BeforeAll
    static void startBrowser() {
        chromium = Chromium.find();
        browser = chromium.start();
    }

    @AfterAll
    static void closeBrowser() {
        if (chromium != null) {
            chromium.close();
        }
    }

    @BeforeEach
    final void openSite() {
        site = Site.start();
        context = browser.newContext();
    }

    @AfterEach
    final void closeSite() {
        context.close();
        site.close();
    }

    /** Opens a tab with the page. */
    final Page tab() {
        Page page = context.newPage();
        load(page);
        return page;
    }

    final void load(Page page) {
        page.navigate(site.page());
        page.waitForFunction("window.harness !== undefined");
    }

    /** Opens an outbox in a tab. */
    static Page open(Page page, String options) {
        page.evaluate("([options, speed]) => { harness.open(options, { speed }) }", List.of(json(options), SPEED));
        return page;
    }

    private static Object json(String options) {
        return MAPPER.readValue(options, Map.class);
    }

    /** Runs a script in a tab, and returns its result as text. */
    static String run(Page page, String script) {
        return String.valueOf(page.evaluate("async () => { " + script + " }"));
    }

    /** Opens a tab that has an outbox. */
    final Page tab(String options) {
        return open(tab(), options);
    }

    static boolean isSender(Page page) {
        return run(page, "return harness.outbox.isSender").equals("true");
    }

    static void awaitSender(Page page) {
        Eventually.assertHolds(() -> Assertions.assertThat(isSender(page)).isTrue());
    }

    /** Awaits that the API has received so many requests. */
    final void awaitReceived(int count) {
        Eventually.assertHolds(() -> Assertions.assertThat(site.received()).hasSizeGreaterThanOrEqualTo(count));
    }

    /** Adds an entry to the outbox of a tab, and returns its id. */
    static String add(Page page, String text, String lane) {
        return (String) page.evaluate(
                "async ([text, lane]) => (await harness.outbox.add({ endpoint: '/v1/posts', payload: { text }, lane })).id",
                List.of(text, lane));
    }

    /** Returns the texts of the entries with a status, joined by spaces. */
    static String texts(Page page, String status) {
        return (String) page.evaluate(
                "async (status) => (await harness.outbox.entries({ status })).map((entry) => entry.payload.text).join(' ')",
                status);
    }

    static void awaitTexts(Page page, String status, String texts) {
        Eventually.assertHolds(() -> Assertions.assertThat(texts(page, status)).isEqualTo(texts));
    }

    static String counts(Page page) {
        return run(page, "return JSON.stringify(await harness.outbox.counts())");
    }
}
