package dev.semel.server.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import dev.semel.testkit.ScaledTime;
import dev.semel.testkit.client.ClientDriver;
import dev.semel.web.Chromium;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** Runs the browser outbox in a tab of Chromium. It is killed by a crash of its tab. */
final class BrowserDriver implements ClientDriver {

    private final Host host;
    private final String user;
    private final BrowserContext context;
    private @Nullable Page page;
    private URI api = URI.create("http://localhost");

    /** A browser with a clock, and the thread that uses it. */
    static final class Host implements AutoCloseable {

        private final double speed;
        private final Instant origin =
                Instant.ofEpochMilli(InstantSource.system().millis());
        private final ScaledTime time;
        private final ExecutorService thread = Executors.newSingleThreadExecutor();
        private final Chromium chromium;
        private final Browser browser;
        private Duration offset = Duration.ZERO;

        /**
         * Starts a browser.
         *
         * @param speed how many times faster than real time the clocks of its tabs run
         */
        Host(double speed) {
            this.speed = speed;
            this.time = new ScaledTime(origin, speed, Duration.ZERO);
            this.chromium = run(Chromium::find);
            this.browser = run(chromium::start);
        }

        /** Runs something in the thread that has started the browser, as no other may use it. */
        private <T> T run(Callable<T> action) {
            try {
                return thread.submit(action).get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof RuntimeException cause) {
                    throw cause;
                }
                throw new IllegalStateException(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            run(() -> {
                chromium.close();
                return "";
            });
            thread.shutdown();
        }
    }

    /**
     * Creates a driver.
     *
     * @param user name of the user who sends
     */
    BrowserDriver(Host host, String user) {
        this.host = host;
        this.user = user;
        this.context = host.run(() -> host.browser.newContext(new Browser.NewContextOptions().setBypassCSP(true)));
    }

    private static String harness() {
        try (InputStream in = Chromium.class.getResourceAsStream("harness.js")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Opens a tab with any page of the server. */
    private Page tab() {
        Page opened = context.newPage();
        opened.navigate(api.resolve("/health/live").toString());
        opened.addScriptTag(new Page.AddScriptTagOptions().setType("module").setContent(harness()));
        opened.waitForFunction("window.harness !== undefined");
        return opened;
    }

    private void openOutbox(Page tab) {
        Map<String, Object> clock =
                Map.of("origin", (double) host.origin.toEpochMilli(), "speed", host.speed, "offset", (double)
                        host.offset.toMillis());
        tab.evaluate("""
                ([api, user, clock]) => {
                  harness.open({ name: "scenario", timeout: 4000 * clock.speed, parallel: 16,
                    token: () => harness.devToken(api, user) }, clock);
                }""", List.of(api.toString(), user, clock));
    }

    private Object evaluate(String script, @Nullable Object argument) {
        return host.run(() -> Objects.requireNonNull(page).evaluate(script, argument));
    }

    @Override
    public void start(URI address) {
        api = address;
        host.run(() -> {
            if (page == null) {
                page = tab();
            }
            openOutbox(Objects.requireNonNull(page));
            return "";
        });
    }

    /** The tab stays open, as without a network it could not be opened again. */
    @Override
    public void stop() {
        evaluate("() => harness.outbox.close()", null);
    }

    @Override
    public void kill() {
        host.run(() -> {
            Chromium.crash(Objects.requireNonNull(page));
            page = null;
            return "";
        });
    }

    @Override
    public String add(Request request) {
        return (String) evaluate("""
                async ([method, endpoint, payload, lane]) => {
                  const request = { method, endpoint, lane };
                  if (payload !== "") {
                    request.payload = JSON.parse(payload);
                  }
                  return (await harness.outbox.add(request)).id;
                }""", List.of(request.method(), request.endpoint(), request.payload(), request.lane()));
    }

    @Override
    public List<Entry> entries() {
        List<?> all = (List<?>) evaluate("() => harness.outbox.entries()", null);
        List<Entry> entries = new ArrayList<>();
        for (Object each : all) {
            Map<?, ?> entry = (Map<?, ?>) each;
            entries.add(new Entry(
                    text(entry, "id"),
                    text(entry, "idempotencyKey"),
                    text(entry, "clientTxId"),
                    text(entry, "lane"),
                    text(entry, "status"),
                    text(entry, "lastError")));
        }
        return entries;
    }

    private static String text(Map<?, ?> entry, String member) {
        Object value = entry.get(member);
        return value == null ? "" : value.toString();
    }

    @Override
    public void retry(String id) {
        evaluate("(id) => harness.outbox.retry(id)", id);
    }

    @Override
    public void discard(String id) {
        evaluate("(id) => harness.outbox.discard(id)", id);
    }

    /** Only the browser notices its network, not a proxy. */
    @Override
    public void network(boolean isOn) {
        evaluate("(name) => { window.dispatchEvent(new Event(name)) }", isOn ? "online" : "offline");
    }

    @Override
    public boolean advance(Duration step) {
        host.offset = host.offset.plus(step);
        host.time.advance(step);
        evaluate("(millis) => harness.clock.advance(millis)", (double) step.toMillis());
        return true;
    }

    @Override
    public InstantSource clock() {
        return host.time;
    }

    @Override
    public double speed() {
        return host.speed;
    }

    @Override
    public boolean resends() {
        return true;
    }

    @Override
    public void close() {
        host.run(() -> {
            context.close();
            return "";
        });
    }
}
