package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.ServerFixture.Reply;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The modules of the browser outbox are served to everyone. */
class OutboxFilesTest {

    private static final Pattern IMPORT = Pattern.compile("from \"(\\./[^\"]+)\"");
    private static final ServerFixture SERVER = ServerFixture.onMemory(apps -> List.of());

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    private static Reply get(String path, String... headers) {
        return SERVER.asNobody().get(path, headers);
    }

    private static String versioned() {
        return get("/assets/outbox/outbox.js").header("Content-Location");
    }

    @Test
    void module_isServedWithATag_andCheckedEachTime() {
        Reply reply = get("/assets/outbox/outbox.js");
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.header("Content-Type")).isEqualTo("text/javascript;charset=utf-8");
        assertThat(reply.header("Cache-Control")).isEqualTo("no-cache");
        assertThat(reply.text()).contains("export class Outbox");
        Reply again = get("/assets/outbox/outbox.js", "If-None-Match", reply.header("ETag"));
        assertThat(again.status()).isEqualTo(304);
        assertThat(again.text()).isEmpty();
    }

    @Test
    void versionedModule_isCachedForGood_andTheSame() {
        assertThat(versioned()).matches("/assets/outbox/[0-9a-f]{16}/outbox\\.js");
        Reply reply = get(versioned());
        assertThat(reply.header("Cache-Control")).isEqualTo("public, max-age=31536000, immutable");
        assertThat(reply.text()).isEqualTo(get("/assets/outbox/outbox.js").text());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void importedModules_areServedBesideIt(boolean isVersioned) {
        String path = isVersioned ? versioned() : "/assets/outbox/outbox.js";
        String folder = path.substring(0, path.lastIndexOf('/') + 1);
        List<String> imported = IMPORT.matcher(get(path).text())
                .results()
                .map((MatchResult each) -> each.group(1).substring(2))
                .toList();
        assertThat(imported).contains("store.js", "election.js").hasSizeGreaterThan(8);
        for (String name : imported) {
            assertThat(get(folder + name).status()).as(name).isEqualTo(200);
        }
    }

    @Test
    void head_hasTheSameHeadersWithoutTheBody() {
        Reply head = SERVER.asNobody().send("HEAD", "/assets/outbox/outbox.js", "");
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.text()).isEmpty();
        assertThat(head.header("ETag"))
                .isEqualTo(get("/assets/outbox/outbox.js").header("ETag"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/assets/outbox/",
                "/assets/outbox/package.json",
                "/assets/outbox/README.md",
                "/assets/outbox/nothing.js",
                "/assets/outbox/..%2f..%2fserver%2fopenapi.json",
                "/assets/outbox/%2e%2e%2foutbox.js",
                "/assets/outbox/0123456789abcdef/outbox.js",
                "/assets/outbox/0123456789abcdef/..%2foutbox.js",
                "/assets/"
            })
    void anythingElse_isNotFound(String path) {
        assertThat(get(path).status()).isEqualTo(404);
    }

    @Test
    void otherMethods_areNotAllowed() {
        assertThat(SERVER.asNobody().post("/assets/outbox/outbox.js", "{}").status())
                .isEqualTo(405);
    }
}
