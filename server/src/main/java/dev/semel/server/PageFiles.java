package dev.semel.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.json.Fingerprint;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.Asset;
import dev.semel.server.web.ErrorPages;
import dev.semel.server.web.Html;
import dev.semel.server.web.PageFrame;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Serves the pages, their files, and the service worker that keeps them for use offline. The version is a hash of all of them, so a page and
 * its files are always of the same version. Only a fixed set of files is served, so no path can lead outside of it.
 */
final class PageFiles implements App {

    /** Allows scripts, styles and images from this server only. */
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
                    + " worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final String ROOT = "/assets/pages/";
    private static final String WORKER = "worker.js";
    private static final String OUTBOX = "\"/assets/outbox/";
    private static final int VERSION_LENGTH = 16;
    private static final String CSS = "text/css;charset=utf-8";
    private static final Map<String, String> TYPES = Map.of("js", Asset.JAVASCRIPT, "css", CSS, "svg", "image/svg+xml");

    private static final List<String> NAMES = List.of(
            "design.css",
            "feed.css",
            "icon.svg",
            "article.js",
            "cache.js",
            "dialog.js",
            "dom.js",
            "entries.js",
            "feed.js",
            "list.js",
            "live.js",
            "session.js",
            "shell.js",
            "timeline.js");

    private final boolean devMode;
    private final Routes routes;
    private final OutboxFiles outbox;
    private volatile @Nullable Loaded loaded;

    /**
     * @param devMode whether pages sign in by name
     * @param routes the routes to list, including those declared later
     * @param outbox the browser outbox, which the pages import
     */
    PageFiles(boolean devMode, Routes routes, OutboxFiles outbox) {
        this.devMode = devMode;
        this.routes = routes;
        this.outbox = outbox;
    }

    private record Loaded(String version, Map<String, Asset> files, Map<String, Asset> pages, Asset worker) {}

    @Override
    public void declare(Routes routes) {
        routes.getOpen("/documents", request -> page("/documents", request))
                .getOpen("/collections", request -> page("/collections", request))
                .getOpen("/console", request -> page("/console", request))
                .getOpen(ROOT + "{file}", request -> file(request).respond(request))
                .getOpen(ROOT + "{version}/{file}", this::versioned)
                .getOpen(
                        "/" + WORKER,
                        request -> loaded().worker().respond(request).with("Content-Security-Policy", POLICY));
    }

    /** Responds with the feed page. */
    ApiResponse feed(Request request) {
        return page("/", request);
    }

    private ApiResponse page(String path, Request request) {
        Asset page = loaded().pages().get(path);
        if (page == null) {
            throw ProblemException.notFound("page");
        }
        return page.respond(request).with("Content-Security-Policy", POLICY);
    }

    private ApiResponse versioned(Request request) {
        if (!request.part("version").equals(loaded().version())) {
            throw ProblemException.notFound("version");
        }
        return file(request).respondForGood(request);
    }

    private Asset file(Request request) {
        Asset file = loaded().files().get(request.part("file"));
        if (file == null) {
            throw ProblemException.notFound("file");
        }
        return file;
    }

    /** Loads the files when they are first requested: all routes are declared by then, and the start takes no longer. */
    private Loaded loaded() {
        Loaded known = loaded;
        if (known == null) {
            known = load();
            loaded = known;
        }
        return known;
    }

    private Loaded load() {
        List<String> modules = outbox.versionedPaths();
        String entry = modules.get(0);
        String outboxOfVersion = "\"" + entry.substring(0, entry.lastIndexOf('/') + 1);
        Map<String, Asset> files = new TreeMap<>();
        for (String name : NAMES) {
            String text = new String(PageFrame.read(name), UTF_8).replace(OUTBOX, outboxOfVersion);
            String type = TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "");
            files.put(name, Asset.of(type, text.getBytes(UTF_8)));
        }
        String worker = new String(PageFrame.read(WORKER), UTF_8);
        StringBuilder content = new StringBuilder(worker);
        files.forEach((name, file) -> content.append(name).append(file.tag()));
        pages("").forEach((path, page) -> content.append(path).append(page.tag()));
        String version =
                Fingerprint.ofBytes(content.toString().getBytes(UTF_8)).hex().substring(0, VERSION_LENGTH);
        Map<String, Asset> pages = pages(version);
        String paths = Stream.of(
                        pages.keySet().stream(),
                        NAMES.stream().map(name -> ROOT + version + "/" + name),
                        modules.stream())
                .flatMap(each -> each)
                .map(path -> "\"" + path + "\"")
                .collect(Collectors.joining(", "));
        worker = worker.replace("\"{version}\"", "\"" + version + "\"").replace("\"{paths}\"", paths);
        return new Loaded(version, files, pages, Asset.of(Asset.JAVASCRIPT, worker.getBytes(UTF_8)));
    }

    private Map<String, Asset> pages(String version) {
        Map<String, Asset> pages = new LinkedHashMap<>();
        pages.put("/", page("Feed", "/", version, "feed", new String(PageFrame.read("feed.html"), UTF_8)));
        pages.put("/documents", outline("Documents", "/documents", version, "/v1/documents"));
        pages.put("/collections", outline("Collections", "/collections", version, "/v1/collections", "/v1/ids"));
        pages.put("/console", outline("Console", "/console", version, "/v1/ops", "/v1/idempotency"));
        return pages;
    }

    /** Returns a page with the routes of a system, which the API documentation describes. */
    private Asset outline(String title, String path, String version, String... prefixes) {
        String list = routes.all().stream()
                .filter(route -> Stream.of(prefixes).anyMatch(route.pattern()::startsWith))
                .map(route -> "<li><code><span class=\"method\">" + route.method() + "</span> "
                        + Html.escape(route.pattern()) + "</code></li>")
                .collect(Collectors.joining());
        String main = "<main class=\"sheet\"><h1>" + title + "</h1><p class=\"lead\">These requests work on the "
                + title.toLowerCase(Locale.ROOT)
                + " of this server. Try them in the <a href=\"/docs\">API documentation</a>.</p><ul class=\"routes\">"
                + list
                + "</ul></main>";
        return page(title, path, version, "shell", main);
    }

    private Asset page(String title, String path, String version, String script, String main) {
        String assets = ROOT + version;
        String head = "<meta name=\"semel-sign-in\" content=\"" + (devMode ? "name" : "token") + "\">"
                + (script.equals("feed") ? "<link rel=\"stylesheet\" href=\"" + assets + "/feed.css\">" : "")
                + "<script type=\"module\" src=\"" + assets + "/" + script + ".js\"></script>";
        String html = PageFrame.page(title, path, assets, head, main);
        return Asset.of(ErrorPages.CONTENT_TYPE, html.getBytes(UTF_8));
    }
}
