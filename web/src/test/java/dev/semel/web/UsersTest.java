package dev.semel.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import dev.semel.testkit.Eventually;
import dev.semel.web.Site.Received;
import dev.semel.web.Site.Reply;
import java.util.Base64;
import org.junit.jupiter.api.Test;

/** Tokens, and the users to whom they and the entries belong. */
class UsersTest extends BrowserFixture {

    /** Returns a token of a user, as far as a browser can see. */
    private static String token(String user, int number) {
        String claims = "{\"sub\":\"" + user + "\",\"n\":" + number + "}";
        return "e30." + Base64.getUrlEncoder().withoutPadding().encodeToString(claims.getBytes(UTF_8)) + ".x";
    }

    private static void open(Page tab, String options, String token) {
        run(tab, "harness.open({ " + options + " token: " + token + " }, { speed: " + SPEED + " })");
    }

    private static String quoted(String user) {
        return "'" + token(user, 0) + "'";
    }

    private static Reply checked(Received request, String token) {
        return request.header("authorization").equals("Bearer " + token) ? request.confirmed() : Reply.of(401);
    }

    @Test
    void rejectedToken_isReplacedOnce_forAllLanes() {
        site.respond(request -> checked(request, token("ann", 1)));
        Page tab = tab();
        run(tab, "window.calls = []");
        open(
                tab,
                "user: 'ann',",
                "async (rejected) => { calls.push(rejected); await new Promise((f) => setTimeout(f, 100));"
                        + " return rejected === null ? '" + token("ann", 0) + "' : '" + token("ann", 1) + "' }");
        for (String lane : new String[] {"a", "b", "c"}) {
            add(tab, lane, lane);
        }
        awaitTexts(tab, "confirmed", "a b c");
        assertThat(run(tab, "return JSON.stringify(calls)")).isEqualTo("[null,\"" + token("ann", 0) + "\"]");
    }

    @Test
    void entriesOfAUserWhoHasSignedOut_areNotSentWithTheTokenOfAnother() {
        site.respond(request -> Reply.of(503));
        Page tab = tab();
        open(tab, "user: 'ann',", quoted("ann"));
        add(tab, "of ann", "lane");
        awaitReceived(1);
        run(tab, "await harness.outbox.close()");
        site.respond(Received::confirmed);
        int before = site.received().size();
        open(tab, "user: 'bob',", quoted("bob"));
        add(tab, "of bob", "lane");
        awaitTexts(tab, "confirmed", "of bob");
        run(tab, "await harness.outbox.close()");
        assertThat(site.bodies().subList(before, site.bodies().size())).containsExactly("{\"text\":\"of bob\"}");
        open(tab, "user: 'ann',", quoted("ann"));
        awaitTexts(tab, "confirmed", "of ann");
        assertThat(site.received().get(site.received().size() - 1).header("authorization"))
                .isEqualTo("Bearer " + token("ann", 0));
    }

    @Test
    void tokenOfAnotherUser_isNotSent() {
        Page tab = tab();
        open(tab, "user: 'ann',", "() => " + quoted("bob"));
        add(tab, "a", "lane");
        Eventually.assertHolds(() -> assertThat(error(tab)).contains("belongs to another user"));
        assertThat(site.received()).isEmpty();
        assertThat(texts(tab, "pending")).isEqualTo("a");
    }

    /** The page does not name its user. */
    @Test
    void entryThatWasSentAsAUser_isNotSentAsAnother() {
        site.respond(request -> Reply.of(503));
        Page tab = tab();
        open(tab, "", "() => " + quoted("ann"));
        add(tab, "of ann", "ann");
        awaitReceived(1);
        run(tab, "await harness.outbox.close()");
        site.respond(Received::confirmed);
        int before = site.received().size();
        open(tab, "", "() => " + quoted("bob"));
        add(tab, "of bob", "bob");
        awaitTexts(tab, "confirmed", "of bob");
        Eventually.assertHolds(() -> assertThat(error(tab)).contains("belongs to another user"));
        assertThat(site.bodies().subList(before, site.bodies().size())).containsExactly("{\"text\":\"of bob\"}");
    }

    private static String error(Page tab) {
        return run(
                tab,
                "return (await harness.outbox.entries({ status: 'pending' })).map((entry) => entry.lastError).join()");
    }

    @Test
    void supplierThatFails_delaysTheEntry_andNothingIsStoredOfATokenThatWorks() {
        Page tab = tab();
        run(tab, "window.failing = true");
        open(
                tab,
                "user: 'ann',",
                "async () => { if (failing) { throw new Error('offline') } return " + quoted("ann") + " }");
        add(tab, "a", "lane");
        Eventually.assertHolds(
                () -> assertThat(error(tab)).isEqualTo("unauthorized: the token supplier has failed: offline"));
        run(tab, "failing = false; harness.outbox.wake()");
        awaitTexts(tab, "confirmed", "a");
        String stored = run(
                tab,
                "const open = indexedDB.open('semel-outbox:outbox:ann'); const db = await new Promise((f) => { open.onsuccess = () => f(open.result) });"
                        + " const all = await Promise.all(['queue', 'done', 'meta'].map((store) => new Promise((f) => {"
                        + " const get = db.transaction(store).objectStore(store).getAll(); get.onsuccess = () => f(get.result) })));"
                        + " db.close(); return JSON.stringify(all)");
        assertThat(stored).contains("\"text\\\":\\\"a\\\"").doesNotContain("e30.", "Bearer");
    }

    @Test
    void outboxesOfUsersAndNames_haveEntriesOfTheirOwn() {
        site.respond(request -> Reply.of(503));
        Page tab = tab();
        open(tab, "user: 'ann',", quoted("ann"));
        add(tab, "a", "lane");
        for (String other : new String[] {"user: 'bob',", "user: 'ann', name: 'drafts',", ""}) {
            open(tab, other, quoted("ann"));
            assertThat(counts(tab)).as(other).isEqualTo("{\"pending\":0,\"failed\":0,\"confirmed\":0}");
        }
    }
}
