package dev.semel.web;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.PlaywrightException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A Chromium process of the system, without a window. It is used by the thread that has started it alone. Tests are skipped if Chromium is not
 * installed.
 */
public final class Chromium implements AutoCloseable {

    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");

    private static final List<String> FLAGS = List.of(
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync");

    private static final double CRASH_MILLIS = 5_000;

    private final Playwright playwright;
    private final Path program;

    private Chromium(Path program) {
        this.program = program;
        this.playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    }

    /**
     * Prepares to start browsers.
     *
     * @throws org.opentest4j.TestAbortedException if Chromium is not installed
     */
    public static Chromium find() {
        Optional<Path> found = Stream.of(
                        System.getenv().getOrDefault("PATH", "").split(":"))
                .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
        Assumptions.assumeTrue(found.isPresent(), "Tests in a browser are skipped: Chromium is not installed");
        return new Chromium(found.orElseThrow());
    }

    /** Starts a browser without a profile. */
    public Browser start() {
        return playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(program)
                        .setHeadless(true)
                        .setChromiumSandbox(false)
                        .setArgs(FLAGS));
    }

    /** Starts a browser with a profile, which it finds again when it is started the next time. */
    public BrowserContext start(Path profile) {
        return playwright
                .chromium()
                .launchPersistentContext(
                        profile,
                        new BrowserType.LaunchPersistentContextOptions()
                                .setExecutablePath(program)
                                .setHeadless(true)
                                .setChromiumSandbox(false)
                                .setBypassCSP(true)
                                .setArgs(FLAGS));
    }

    /** Ends the process of a tab, and closes the tab. What it has stored remains. */
    public static void crash(Page page) {
        boolean[] crashed = {false};
        page.onCrash(each -> crashed[0] = true);
        try {
            page.navigate("chrome://crash", new Page.NavigateOptions().setTimeout(CRASH_MILLIS));
        } catch (PlaywrightException e) {
            // there is no page after it
        }
        page.context().waitForCondition(() -> crashed[0]);
        page.close();
    }

    @Override
    public void close() {
        playwright.close();
    }
}
