package dev.semel.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Page;
import dev.semel.testkit.Eventually;
import dev.semel.web.Site.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** An outbox in several tabs: any adds, and one sends. */
class TabsTest extends BrowserFixture {

    private static final int MANY = 20;

    /** Begins to add entries, without waiting until they are added. */
    private static void addMany(Page page, String prefix) {
        page.evaluate("""
                ([prefix, count]) => {
                  window.adding = (async () => {
                    for (let i = 0; i < count; i++) {
                      await harness.outbox.add({ endpoint: '/v1/posts', payload: { text: prefix + i }, lane: 'lane' });
                    }
                  })();
                }""", List.of(prefix, MANY));
    }

    private List<String> sent(String prefix) {
        return site.bodies().stream()
                .filter(body -> body.contains("\"" + prefix))
                .map(body -> body.replaceAll(".*\"([a-z][0-9]+)\".*", "$1"))
                .toList();
    }

    private static List<String> numbered(String prefix) {
        return IntStream.range(0, MANY).mapToObj(i -> prefix + i).toList();
    }

    @Test
    void tabsThatAddAtTheSameTime_areSentByOne_inOrder_eachOnce() {
        Page one = tab("{}");
        Page two = tab("{}");
        addMany(one, "a");
        addMany(two, "b");
        run(one, "await window.adding");
        run(two, "await window.adding");
        Eventually.assertHolds(
                () -> assertThat(counts(two)).isEqualTo("{\"pending\":0,\"failed\":0,\"confirmed\":40}"));
        assertThat(sent("a")).isEqualTo(numbered("a"));
        assertThat(sent("b")).isEqualTo(numbered("b"));
        assertThat(site.bodies()).hasSize(2 * MANY);
        List<Boolean> senders = new ArrayList<>();
        for (Page page : List.of(one, two)) {
            senders.add(isSender(page));
        }
        assertThat(senders).containsExactlyInAnyOrder(true, false);
        String order = "return (await harness.outbox.entries()).map((entry) => JSON.stringify(entry.payload)).join()";
        assertThat(run(one, order)).isEqualTo(String.join(",", site.bodies()));
    }

    @Test
    void otherTabs_areNotifiedOfChangesAtOnce() {
        Page one = tab("{}");
        Page two = tab("{}");
        String id = add(one, "a", "lane");
        String seen =
                "return harness.changes.filter(({ id }) => id === '" + id + "').map(({ change }) => change).join(' ')";
        Eventually.assertHolds(() -> assertThat(run(two, seen)).isEqualTo("added sending confirmed"));
        assertThat(texts(two, "confirmed")).isEqualTo("a");
    }

    @Test
    void senderThatCrashes_isReplacedByAnotherTab() {
        CountDownLatch second = new CountDownLatch(1);
        site.respond(request -> {
            if (site.received().size() == 2) {
                second.countDown();
                new CountDownLatch(1).await(); // there is no response to the second request of the first sender
            }
            return request.confirmed();
        });
        Page one = tab("{}");
        awaitSender(one);
        Page two = tab("{}");
        addMany(two, "a");
        run(two, "await window.adding");
        awaitReceived(2);
        Chromium.crash(one);
        awaitTexts(two, "confirmed", String.join(" ", numbered("a")));
        assertThat(isSender(two)).isTrue();
        List<String> sent = new ArrayList<>(sent("a"));
        assertThat(sent.remove(1)).isEqualTo("a1"); // twice, with one key
        assertThat(sent).isEqualTo(numbered("a"));
        assertThat(site.received().get(1).header("idempotency-key"))
                .isEqualTo(site.received().get(2).header("idempotency-key"));
    }

    /** The debugger stops a tab as the browser does that freezes it. Without a window, all tabs are visible, and are never frozen. */
    @Test
    void senderThatIsFrozen_losesItsLock_andItsLateWriteIsRejected() {
        CountDownLatch thawed = new CountDownLatch(1);
        site.respond(request -> {
            if (site.received().size() == 1) {
                thawed.await();
                return new Reply(400, request.confirmed().headers(), "{\"detail\":\"late\"}");
            }
            return request.confirmed();
        });
        Page frozen = tab();
        run(frozen, "harness.open()"); // in real time, and alone: it must not be stopped while it uses its storage
        add(frozen, "a", "lane");
        awaitReceived(1);
        CDPSession session = context.newCDPSession(frozen);
        session.send("Debugger.enable");
        session.send("Debugger.pause");
        Page other = tab("{}");
        add(other, "b", "lane");
        awaitTexts(other, "confirmed", "a b");
        assertThat(isSender(other)).isTrue();
        thawed.countDown();
        session.send("Debugger.disable");
        Eventually.assertHolds(() -> assertThat(isSender(frozen)).isFalse());
        add(frozen, "c", "lane");
        awaitTexts(frozen, "confirmed", "a b c");
        assertThat(counts(frozen)).isEqualTo("{\"pending\":0,\"failed\":0,\"confirmed\":3}");
        assertThat(isSender(other)).isTrue();
    }

    @Test
    void writesOfAnEarlierEpoch_areRejected_andChangeNothing() {
        Page tab = tab();
        String results = run(tab, """
                const { EntryStore, LostEpochError } = await import("/assets/outbox/store.js");
                const store = new EntryStore("epochs", () => {});
                await store.add({ id: "a", lane: "lane", status: "pending", retryCount: 0, body: "1" });
                const old = await store.newEpoch();
                const [entry] = await store.list({});
                const seen = await store.sender();
                const current = await store.newEpoch(seen);
                const wrong = { ...entry, status: "failed" };
                const writes = [() => store.mark(old, wrong), () => store.update(old, wrong), () => store.confirm(old, wrong, 0),
                  () => store.forget(old, wrong), () => store.beat(old)];
                const results = [];
                for (const write of writes) {
                  results.push(await write().then(() => "written", (e) => e instanceof LostEpochError));
                }
                results.push(await store.newEpoch(seen), JSON.stringify(await store.list({})) === JSON.stringify([entry]));
                results.push((await store.update(current, wrong)).status, (await store.sender()).beat);
                await store.close();
                return results.join();""");
        assertThat(results).isEqualTo("true,true,true,true,true,,true,failed,1");
    }

    @Test
    void senderThatIsAlive_keepsItsLock_howeverLongItsRequestTakes() {
        CountDownLatch end = new CountDownLatch(1);
        site.respond(request -> {
            end.await();
            return request.confirmed();
        });
        Page one = tab("{\"timeout\":6000000}");
        awaitSender(one);
        Page two = tab("{}");
        add(two, "a", "lane");
        awaitReceived(1);
        String beats = "return new Promise((resolve, reject) => { const open = indexedDB.open('semel-outbox:outbox');"
                + " open.onsuccess = () => { const get = open.result.transaction('meta').objectStore('meta').get('sender');"
                + " get.onsuccess = () => { open.result.close(); resolve(get.result.epoch + ' ' + (get.result.beat > 8)) } } })";
        Eventually.assertHolds(() -> assertThat(run(two, beats)).isEqualTo("1 true"));
        assertThat(isSender(one)).isTrue();
        end.countDown();
        awaitTexts(two, "confirmed", "a");
        assertThat(site.received()).hasSize(1);
    }

    @Test
    void tabThatIsClosed_givesTheLockToAnother() {
        Page one = tab("{}");
        awaitSender(one);
        Page two = tab("{}");
        one.close();
        awaitSender(two);
        add(two, "a", "lane");
        awaitTexts(two, "confirmed", "a");
    }

    @Test
    void reloadInTheMiddleOfSending_losesNothing() {
        site.respond(request -> {
            if (site.received().size() == 3) {
                new CountDownLatch(1).await();
            }
            return request.confirmed();
        });
        Page tab = tab("{}");
        addMany(tab, "a");
        awaitReceived(3);
        run(tab, "await window.adding");
        load(tab);
        open(tab, "{}");
        awaitTexts(tab, "confirmed", String.join(" ", numbered("a")));
        assertThat(site.bodies()).hasSize(MANY + 1);
    }
}
