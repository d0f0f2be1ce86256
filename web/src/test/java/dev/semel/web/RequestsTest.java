package dev.semel.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import org.junit.jupiter.api.Test;

/** Requests and options that make no sense are rejected before anything is stored. */
class RequestsTest extends BrowserFixture {

    private static final String[] MALFORMED = {
        "null",
        "{}",
        "{ endpoint: '' }",
        "{ endpoint: 'v1/posts' }",
        "{ endpoint: 'https://evil.example/v1/posts' }",
        "{ endpoint: '//evil.example/v1/posts' }",
        "{ endpoint: '/\\\\evil.example/v1/posts' }",
        "{ endpoint: '/\\t/evil.example' }",
        "{ endpoint: 'javascript:alert(1)' }",
        "{ endpoint: '/v1/../posts' }",
        "{ endpoint: '/v1/%2e%2e/posts' }",
        "{ endpoint: '/v1/posts#fragment' }",
        "{ endpoint: '/v1/ünïcode' }",
        "{ endpoint: '/v1/\"' }",
        "{ endpoint: '/' + 'x'.repeat(2048) }",
        "{ endpoint: '/v1', method: 'GET' }",
        "{ endpoint: '/v1', method: 'post' }",
        "{ endpoint: '/v1', lane: '' }",
        "{ endpoint: '/v1', lane: 'a\\nb' }",
        "{ endpoint: '/v1', lane: '\\ud800' }",
        "{ endpoint: '/v1', lane: 7 }",
        "{ endpoint: '/v1', operation: 'x'.repeat(256) }",
        "{ endpoint: '/v1', contentType: 'text' }",
        "{ endpoint: '/v1', contentType: 'text/plain', payload: {} }",
        "{ endpoint: '/v1', contentType: 'text/plain', payload: '\\ud800' }",
        "{ endpoint: '/v1', payload: () => 1 }",
        "{ endpoint: '/v1', payload: 1n }",
        "{ endpoint: '/v1', payload: { text: '\\ud800' } }",
        "{ endpoint: '/v1', payload: 'x'.repeat(1024 * 1024) }"
    };

    private static final String[] WRONG_OPTIONS = {
        "{ name: 'Feed' }",
        "{ name: '' }",
        "{ user: '' }",
        "{ base: 'https://api.example.com/v1' }",
        "{ base: 'https://ann@api.example.com' }",
        "{ base: 'ftp://api.example.com' }",
        "{ base: 'nonsense' }",
        "{ parallel: 0 }",
        "{ timeout: -1 }",
        "{ keyLife: NaN }",
        "{ giveUpAfter: { attempts: 0 } }"
    };

    @Test
    void malformedRequest_isRejected() {
        Page tab = tab("{}");
        for (String request : MALFORMED) {
            assertThat(run(tab, "return await harness.codeOf(() => harness.outbox.add(" + request + "))"))
                    .as(request)
                    .isEqualTo("invalid");
        }
        assertThat(counts(tab)).isEqualTo("{\"pending\":0,\"failed\":0,\"confirmed\":0}");
    }

    @Test
    void wrongOption_isRejected() {
        Page tab = tab();
        for (String options : WRONG_OPTIONS) {
            assertThat(run(tab, "return await harness.codeOf(() => new harness.Outbox(" + options + "))"))
                    .as(options)
                    .isEqualTo("invalid");
        }
    }

    @Test
    void payload_isSentAsItIs_whateverItIs() {
        Page tab = tab("{}");
        run(
                tab,
                "await harness.outbox.add({ endpoint: '/v1/a', payload: '<script>\\u202e😀' });"
                        + " await harness.outbox.add({ endpoint: '/v1/b', payload: null, contentType: 'application/merge-patch+json' });"
                        + " await harness.outbox.add({ endpoint: '/v1/c', payload: '1;2', contentType: 'text/csv' });"
                        + " await harness.outbox.add({ endpoint: '/v1/d', method: 'DELETE' })");
        awaitReceived(4);
        assertThat(site.bodies()).containsExactly("\"<script>\u202e😀\"", "null", "1;2", "");
        assertThat(site.received().stream().map(request -> request.header("content-type")))
                .containsExactly("application/json", "application/merge-patch+json", "text/csv", "");
        awaitReceived(4);
        assertThat(run(tab, "return JSON.stringify((await harness.outbox.entries()).map(({ payload }) => payload))"))
                .isEqualTo("[\"<script>\u202e😀\",null,\"1;2\",null]");
    }
}
