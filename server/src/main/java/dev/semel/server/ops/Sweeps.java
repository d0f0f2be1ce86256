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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What was swept, and a sweep on demand. */
public final class Sweeps implements App {

    /** How long somebody who asks for a sweep waits for its end. */
    private static final long PATIENCE_SECONDS = 20;

    private final Store store;
    private final Sweeper sweeper;
    private CompletableFuture<List<Cleanup>> last = CompletableFuture.completedFuture(List.of());

    public Sweeps(Store store, Sweeper sweeper) {
        this.store = store;
        this.sweeper = sweeper;
    }

    @Override
    public void declare(Routes routes) {
        routes.operator("GET", "/v1/ops/sweeps", this::list).operator("POST", "/v1/ops/sweeps", request -> sweep());
    }

    private Answer list(Request request) {
        return Answer.ok(json(store.housekeeping().cleanups(request.limit())).putNull("next"));
    }

    /** Who asks while one that was asked for is under way is told of that one. */
    synchronized CompletableFuture<List<Cleanup>> begun() {
        if (last.isDone()) {
            last = CompletableFuture.supplyAsync(sweeper::sweep, Threads.EXECUTOR);
        }
        return last;
    }

    /** A sweep that takes long goes on after the answer. */
    private Answer sweep() {
        try {
            return Answer.ok(
                    json(begun().get(PATIENCE_SECONDS, TimeUnit.SECONDS)).put("status", "done"));
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
