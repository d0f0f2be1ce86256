package dev.semel.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Page;
import dev.semel.testkit.Eventually;
import dev.semel.web.Site.Reply;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What goes wrong with the storage of a browser is reported, and nothing is lost. */
class StorageTest extends BrowserFixture {

    private static final String ADD = "return await harness.codeOf(() => harness.outbox.add("
            + "{ endpoint: '/v1/posts', payload: { text: Array.from({ length: 20000 }, () => Math.random()).join() } }))";

    private void setQuota(CDPSession session, long bytes) {
        JsonObject quota = new JsonObject();
        quota.addProperty("origin", site.origin());
        if (bytes > 0) {
            quota.addProperty("quotaSize", bytes);
        }
        session.send("Storage.overrideQuotaForOrigin", quota);
    }

    private static String errors(Page page) {
        return run(page, "return harness.errors.map(({ code }) => code).join(' ')");
    }

    @Test
    void fullStorage_rejectsWhatIsAdded_andKeepsWhatWasAdded() {
        CountDownLatch space = new CountDownLatch(1);
        site.respond(request -> {
            space.await();
            return request.confirmed();
        });
        Page tab = tab();
        CDPSession session =
                context.newCDPSession(tab); // before the storage is used, as the browser remembers how much is left
        setQuota(session, 300_000);
        open(tab, "{\"timeout\":6000000}");
        add(tab, "a", "lane");
        assertThat(run(tab, ADD)).isEqualTo("storage_full");
        assertThat(texts(tab, "pending")).isEqualTo("a");
        space.countDown();
        Eventually.assertHolds(() -> assertThat(counts(tab)).startsWith("{\"pending\":0,\"failed\":0"));
        setQuota(session, 0);
        assertThat(run(tab, ADD)).isEmpty();
        assertThat(site.received().get(0).body()).isEqualTo("{\"text\":\"a\"}");
    }

    /** As some browsers do in private windows. */
    @Test
    void storageThatTheBrowserRefuses_rejectsWhatIsAdded() {
        Page tab = tab();
        run(
                tab,
                "IDBFactory.prototype.open = () => { throw new DOMException('refused', 'SecurityError') }; harness.open()");
        assertThat(run(tab, ADD)).isEqualTo("storage_unavailable");
        Eventually.assertHolds(() -> assertThat(errors(tab)).contains("storage_unavailable"));
    }

    @Test
    void databaseOfANewerVersion_isReported() {
        Page tab = tab();
        run(
                tab,
                "await new Promise((resolve) => { const open = indexedDB.open('semel-outbox:outbox', 2);"
                        + " open.onsuccess = () => { open.result.close(); resolve() } }); harness.open()");
        assertThat(run(tab, ADD)).isEqualTo("storage_newer");
    }

    /** An old page keeps a version 0 open, which a real upgrade would meet. */
    @Test
    void databaseThatAnotherTabKeepsFromBeingOpened_isReported_andOpenedLater() {
        Page old = tab();
        Page tab = tab();
        run(
                old,
                "await new Promise((resolve) => { const open = indexedDB.open('semel-outbox:outbox', 3);"
                        + " open.onsuccess = () => { window.database = open.result; resolve() } });"
                        + " indexedDB.deleteDatabase('semel-outbox:outbox')");
        open(tab, "{}");
        assertThat(run(tab, ADD)).isEqualTo("storage_blocked");
        run(old, "window.database.close()");
        Eventually.assertHolds(() -> assertThat(run(tab, ADD)).isEmpty());
    }

    @Test
    void databaseThatIsDeletedWhileItIsOpen_isReported_andCreatedAgain() {
        Page tab = tab("{}");
        add(tab, "a", "lane");
        awaitTexts(tab, "confirmed", "a");
        run(
                tab,
                "await new Promise((resolve, reject) => { const gone = indexedDB.deleteDatabase('semel-outbox:outbox');"
                        + " gone.onsuccess = resolve; gone.onerror = reject })");
        assertThat(errors(tab)).contains("storage_unavailable");
        add(tab, "b", "lane");
        awaitTexts(tab, "confirmed", "b");
    }

    @Test
    void upgradeByANewerPage_isNotBlocked_andReported() {
        Page tab = tab("{}");
        add(tab, "a", "lane");
        Page newer = tab();
        assertThat(
                        run(
                                newer,
                                "return await new Promise((resolve) => { const open = indexedDB.open('semel-outbox:outbox', 2);"
                                        + " open.onblocked = () => resolve('blocked'); open.onsuccess = () => { open.result.close(); resolve('open') } })"))
                .isEqualTo("open");
        assertThat(run(tab, ADD)).isEqualTo("storage_newer");
        assertThat(errors(tab)).contains("storage_unavailable");
    }

    @Test
    void clearedSiteData_isReported_andTheOutboxGoesOn() {
        Page tab = tab("{}");
        add(tab, "a", "lane");
        awaitTexts(tab, "confirmed", "a");
        JsonObject data = new JsonObject();
        data.addProperty("origin", site.origin());
        data.addProperty("storageTypes", "indexeddb");
        context.newCDPSession(tab).send("Storage.clearDataForOrigin", data);
        Eventually.assertHolds(() -> assertThat(errors(tab)).contains("storage_unavailable"));
        add(tab, "b", "lane");
        awaitTexts(tab, "confirmed", "b");
    }

    @Test
    void purge_deletesConfirmedEntriesThatAreOldEnough() {
        Page tab = tab("{}");
        add(tab, "a", "lane");
        awaitTexts(tab, "confirmed", "a");
        run(tab, "harness.clock.advance(86400000)");
        add(tab, "b", "lane");
        awaitTexts(tab, "confirmed", "a b");
        assertThat(run(tab, "return await harness.outbox.purge(3600000)")).isEqualTo("1");
        assertThat(texts(tab, "confirmed")).isEqualTo("b");
        run(tab, "harness.clock.advance(8 * 86400000)");
        Eventually.assertHolds(() -> assertThat(texts(tab, "confirmed")).isEmpty());
    }

    @Test
    void destroyedOutbox_isEmpty_andWritesNothing() {
        site.respond(request -> Reply.of(503));
        Page tab = tab("{}");
        add(tab, "a", "lane");
        run(tab, "await harness.outbox.destroy()");
        assertThat(run(tab, ADD)).isEqualTo("closed");
        open(tab, "{}");
        assertThat(counts(tab)).isEqualTo("{\"pending\":0,\"failed\":0,\"confirmed\":0}");
    }
}
