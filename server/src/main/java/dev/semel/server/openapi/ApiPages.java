package dev.semel.server.openapi;

import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.Asset;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Serves the OpenAPI description at {@code /openapi.json} and the documentation page at {@code /docs}. Only a fixed set of files is served,
 * so no path can lead outside of it.
 */
public final class ApiPages implements App {

    private static final String CSS = "text/css;charset=utf-8";

    /** Allows scripts and styles from this server only. Images are embedded in the style sheet. */
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                    + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private final Routes routes;
    private volatile @Nullable Asset description;

    /** The files of the page, loaded by the first request. */
    private static final class Files {

        static final Asset PAGE = own("docs.html", "text/html;charset=utf-8");
        static final Map<String, Asset> BY_NAME = Map.of(
                "docs.css", own("docs.css", CSS),
                "docs.js", own("docs.js", Asset.JAVASCRIPT),
                "swagger-ui.css", swagger("swagger-ui.css", CSS),
                "swagger-ui-bundle.js", swagger("swagger-ui-bundle.js", Asset.JAVASCRIPT));
    }

    /** @param routes the routes to describe, including those declared later */
    public ApiPages(Routes routes) {
        this.routes = routes;
    }

    @Override
    public void declare(Routes routes) {
        routes.getOpen("/openapi.json", request -> description().respond(request))
                .getOpen("/docs", request -> Files.PAGE.respond(request).with("Content-Security-Policy", POLICY))
                .getOpen("/docs/{file}", ApiPages::file);
    }

    /** Returns the description, created by the first request: all routes are declared by then, and the start takes no longer. */
    private Asset description() {
        Asset known = description;
        if (known == null) {
            known = Asset.of("application/json", JsonText.bytes(Description.of(routes)));
            description = known;
        }
        return known;
    }

    private static ApiResponse file(Request request) {
        Asset file = Files.BY_NAME.get(request.part("file"));
        if (file == null) {
            throw ProblemException.notFound("file");
        }
        return file.respond(request);
    }

    private static Asset own(String name, String contentType) {
        return Asset.of(contentType, read("/dev/semel/server/openapi/" + name));
    }

    private static Asset swagger(String name, String contentType) {
        return Asset.of(contentType, read("/META-INF/resources/webjars/swagger-ui/" + swaggerVersion() + "/" + name));
    }

    /** Returns the version of the WebJar, which is part of its paths. */
    private static String swaggerVersion() {
        Properties properties = new Properties();
        try (InputStream in = open("/META-INF/maven/org.webjars/swagger-ui/pom.properties")) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version");
    }

    private static byte[] read(String resource) {
        try (InputStream in = open(resource)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static InputStream open(String resource) {
        InputStream in = ApiPages.class.getResourceAsStream(resource);
        if (in == null) {
            throw new IllegalStateException(resource + " is missing");
        }
        return in;
    }
}
