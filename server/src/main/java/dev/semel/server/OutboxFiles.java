package dev.semel.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.json.Fingerprint;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.Asset;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Serves the browser outbox at {@code /assets/outbox/outbox.js}, and at a path with its version that may be cached for good. Only a fixed set
 * of files is served, so no path can lead outside of it.
 */
final class OutboxFiles implements App {

    private static final String RESOURCES = "/dev/semel/web/outbox/";
    private static final String ENTRY = "outbox.js";
    private static final Pattern IMPORT = Pattern.compile("from \"\\./([a-z]+\\.js)\";");
    private static final int VERSION_LENGTH = 16;

    private volatile @Nullable Loaded loaded;

    /**
     * The files and their version.
     *
     * @param version a hash of all files, since modules import each other by relative paths
     */
    private record Loaded(Map<String, Asset> files, String version) {

        /** Loads the entry module and all that it imports. */
        static Loaded now() {
            Map<String, Asset> files = new TreeMap<>();
            Deque<String> names = new ArrayDeque<>();
            names.add(ENTRY);
            while (!names.isEmpty()) {
                String name = names.remove();
                if (!files.containsKey(name)) {
                    byte[] bytes = read(name);
                    files.put(name, Asset.of(Asset.JAVASCRIPT, bytes));
                    Matcher imports = IMPORT.matcher(new String(bytes, UTF_8));
                    imports.results().forEach(each -> names.add(each.group(1)));
                }
            }
            ByteArrayOutputStream tags = new ByteArrayOutputStream();
            files.forEach((name, file) -> tags.writeBytes((name + file.tag()).getBytes(UTF_8)));
            return new Loaded(
                    files, Fingerprint.ofBytes(tags.toByteArray()).hex().substring(0, VERSION_LENGTH));
        }

        private static byte[] read(String name) {
            try (InputStream in = OutboxFiles.class.getResourceAsStream(RESOURCES + name)) {
                if (in == null) {
                    throw new IllegalStateException(name + " is missing");
                }
                return in.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        String path(String name) {
            return "/assets/outbox/" + version + "/" + name;
        }

        Asset file(String name) {
            Asset file = files.get(name);
            if (file == null) {
                throw ProblemException.notFound("file");
            }
            return file;
        }
    }

    @Override
    public void declare(Routes routes) {
        routes.getOpen("/assets/outbox/{file}", this::latest)
                .getOpen("/assets/outbox/{version}/{file}", this::versioned);
    }

    /** Loads the files when they are first requested, so that the start takes no longer. */
    private Loaded loaded() {
        Loaded known = loaded;
        if (known == null) {
            known = Loaded.now();
            loaded = known;
        }
        return known;
    }

    /** Returns the paths of all files with their version, the entry module first. */
    List<String> versionedPaths() {
        Loaded all = loaded();
        return Stream.concat(Stream.of(ENTRY), all.files().keySet().stream().filter(name -> !name.equals(ENTRY)))
                .map(all::path)
                .toList();
    }

    private ApiResponse latest(Request request) {
        Loaded all = loaded();
        String name = request.part("file");
        return all.file(name).respond(request).with("Content-Location", all.path(name));
    }

    private ApiResponse versioned(Request request) {
        Loaded all = loaded();
        if (!request.part("version").equals(all.version())) {
            throw ProblemException.notFound("version");
        }
        return all.file(request.part("file")).respondForGood(request);
    }
}
