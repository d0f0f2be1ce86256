package dev.semel.server.ops;

import dev.semel.server.web.Answer;
import dev.semel.server.web.App;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.Cleanup;
import dev.semel.store.Store;
import dev.semel.store.StoreException;
import dev.semel.store.Sweeper;
import dev.semel.store.Threads;
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

/** What was swept, and a sweep on demand. */
public final class Sweeps implements App {

    /** How long somebody who asks for a sweep waits for its end. */
    private static final long PATIENCE_SECONDS = 20;

    /** A time and a table. */
    private static final Pattern PLACE = Pattern.compile("[0-9]{4}-[0-9T:.-]+Z [a-z_]+");

    private final Store store;
    private final Sweeper sweeper;
    private CompletableFuture<List<Cleanup>> underWay = CompletableFuture.completedFuture(List.of());
    private @Nullable CompletableFuture<List<Cleanup>> next;

    public Sweeps(Store store, Sweeper sweeper) {
        this.store = store;
        this.sweeper = sweeper;
    }

    @Override
    public void declare(Routes routes) {
        routes.operator("GET", "/v1/ops/sweeps", this::list).operator("POST", "/v1/ops/sweeps", request -> sweep());
    }

    private Answer list(Request request) {
        int limit = request.limit();
        List<Cleanup> some = store.housekeeping().cleanups(after(request.after()), limit + 1);
        List<Cleanup> page = some.subList(0, Math.min(limit, some.size()));
        String next = page.size() < some.size() ? next(page.get(limit - 1)) : null;
        return Answer.ok(json(page).put("next", next));
    }

    private static String next(Cleanup last) {
        return KeyPages.next(last.time() + " " + last.table());
    }

    private static @Nullable Cleanup after(@Nullable String next) {
        if (next == null) {
            return null;
        }
        String place = KeyPages.place(next);
        if (!PLACE.matcher(place).matches()) {
            throw KeyPages.notANext();
        }
        int space = place.indexOf(' ');
        try {
            return new Cleanup(place.substring(space + 1), 0, Instant.parse(place.substring(0, space)));
        } catch (DateTimeParseException e) {
            throw KeyPages.notANext();
        }
    }

    /**
     * Who asks while one that was asked for is under way gets the next one, with all others who ask meanwhile: the first may have passed
     * by what is past its time by now.
     */
    synchronized CompletableFuture<List<Cleanup>> asked() {
        if (next != null) {
            return next;
        }
        if (underWay.isDone()) {
            underWay = CompletableFuture.supplyAsync(sweeper::sweep, Threads.EXECUTOR);
            return underWay;
        }
        next = underWay.handle((cleanups, failure) -> cleanups)
                .thenApplyAsync(
                        before -> {
                            nextIsUnderWay();
                            return sweeper.sweep();
                        },
                        Threads.EXECUTOR);
        return next;
    }

    private synchronized void nextIsUnderWay() {
        underWay = Objects.requireNonNull(next);
        next = null;
    }

    /** A sweep that takes long goes on after the answer. */
    private Answer sweep() {
        try {
            return Answer.ok(
                    json(asked().get(PATIENCE_SECONDS, TimeUnit.SECONDS)).put("status", "done"));
        } catch (TimeoutException e) {
            return Answer.accepted(JsonText.object().put("status", "running"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Answer.accepted(JsonText.object().put("status", "running"));
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure
                    ? failure
                    : StoreException.unavailable("A sweep broke off", e.getCause());
        }
    }

    private static ObjectNode json(List<Cleanup> cleanups) {
        ObjectNode answer = JsonText.object();
        ArrayNode items = answer.putArray("items");
        for (Cleanup cleanup : cleanups) {
            items.add(JsonText.object()
                    .put("table", cleanup.table())
                    .put("deleted", cleanup.deleted())
                    .put("time", JsonText.time(cleanup.time())));
        }
        return answer;
    }
}
