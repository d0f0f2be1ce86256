package dev.semel.server.ops;

import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.StoreAdmin.Cleanup;
import dev.semel.store.admin.Sweeper;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Lists past sweeps and starts sweeps on demand. */
public final class Sweeps implements App {

    /** A request that starts a sweep waits for it up to this time. */
    private static final long MAX_WAIT_SECONDS = 20;

    /** The time and the table of a cleanup log entry. */
    private static final Pattern CURSOR = Pattern.compile("[0-9]{4}-[0-9T:.-]+Z [a-z_]+");

    private final StoreAdmin admin;
    private final Sweeper sweeper;
    private CompletableFuture<List<Cleanup>> inProgress = CompletableFuture.completedFuture(List.of());
    private @Nullable CompletableFuture<List<Cleanup>> next;

    public Sweeps(StoreAdmin admin, Sweeper sweeper) {
        this.admin = admin;
        this.sweeper = sweeper;
    }

    @Override
    public void declare(Routes routes) {
        routes.operator("GET", "/v1/ops/sweeps", this::list).operator("POST", "/v1/ops/sweeps", request -> sweep());
    }

    private ApiResponse list(Request request) {
        int limit = request.limit();
        List<Cleanup> some = admin.cleanups(after(request.after()), limit + 1);
        List<Cleanup> page = some.subList(0, Math.min(limit, some.size()));
        String next = page.size() < some.size() ? next(page.get(limit - 1)) : null;
        return ApiResponse.ok(json(page).put("next", next));
    }

    private static String next(Cleanup last) {
        return KeyPages.next(last.time() + " " + last.table());
    }

    private static @Nullable Cleanup after(@Nullable String next) {
        if (next == null) {
            return null;
        }
        String cursor = KeyPages.cursor(next);
        if (!CURSOR.matcher(cursor).matches()) {
            throw KeyPages.invalidCursor();
        }
        int space = cursor.indexOf(' ');
        try {
            return new Cleanup(cursor.substring(space + 1), 0, Instant.parse(cursor.substring(0, space)));
        } catch (DateTimeParseException e) {
            throw KeyPages.invalidCursor();
        }
    }

    /**
     * Starts a sweep, or joins the one that follows if a sweep is in progress: that one may have passed rows that have expired since. All
     * requests during a sweep share the next one.
     */
    synchronized CompletableFuture<List<Cleanup>> requestSweep() {
        if (next != null) {
            return next;
        }
        if (inProgress.isDone()) {
            inProgress = CompletableFuture.supplyAsync(sweeper::sweep, Time.threads());
            return inProgress;
        }
        next = inProgress
                .handle((cleanups, failure) -> cleanups)
                .thenApplyAsync(
                        before -> {
                            nextIsInProgress();
                            return sweeper.sweep();
                        },
                        Time.threads());
        return next;
    }

    private synchronized void nextIsInProgress() {
        inProgress = Objects.requireNonNull(next);
        next = null;
    }

    /** Starts a sweep. If it does not complete in time, it continues after the response. */
    private ApiResponse sweep() {
        try {
            return ApiResponse.ok(
                    json(requestSweep().get(MAX_WAIT_SECONDS, TimeUnit.SECONDS)).put("status", "done"));
        } catch (TimeoutException e) {
            return ApiResponse.accepted(JsonText.object().put("status", "running"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ApiResponse.accepted(JsonText.object().put("status", "running"));
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure
                    ? failure
                    : StoreException.unavailable("A sweep was interrupted", e.getCause());
        }
    }

    private static ObjectNode json(List<Cleanup> cleanups) {
        ObjectNode json = JsonText.object();
        ArrayNode items = json.putArray("items");
        for (Cleanup cleanup : cleanups) {
            items.add(JsonText.object()
                    .put("table", cleanup.table())
                    .put("deleted", cleanup.deleted())
                    .put("time", JsonText.time(cleanup.time())));
        }
        return json;
    }
}
