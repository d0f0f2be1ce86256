package dev.semel.server;

import dev.semel.http.EdgeProblem;
import dev.semel.http.Problem;
import dev.semel.server.web.Answer;
import dev.semel.server.web.App;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Refusal;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.OnceKey;
import dev.semel.store.Quota;
import dev.semel.store.Store;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether the server runs, and whether it can do anything. */
final class Health implements App {

    private static final OnceKey NOBODYS = new OnceKey("health", "GET /health/ready", "none");

    private static final String REASON = "reason";
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Logger LOG = LoggerFactory.getLogger(Health.class);

    private final Store store;
    private final WriteProbe writes;
    private volatile boolean stopping;

    Health(Store store, Time time) {
        this.store = store;
        this.writes = new WriteProbe(store, time);
    }

    /** A request could not be served: whether the store can be written is looked at when somebody asks next. */
    void doubt() {
        writes.doubt();
    }

    void stopping() {
        stopping = true;
    }

    @Override
    public void declare(Routes routes) {
        routes.getOpen("/health/live", request -> up());
        routes.getOpen("/health/ready", this::ready);
    }

    private Answer ready(Request request) {
        if (stopping) {
            throw new Refusal(stoppingProblem());
        }
        try {
            store.find(NOBODYS, Quota.NONE);
            writes.check();
        } catch (StoreException e) {
            LOG.atWarn().addKeyValue("error", e.getMessage()).log("Not ready");
            StoreFault fault = StoreFault.of(e);
            throw new Refusal(EdgeProblem.STORE_UNAVAILABLE
                    .retryAfter(PAUSE)
                    .detailed(fault.detail())
                    .with(REASON, fault.reason()));
        }
        return up();
    }

    /** What is answered while the server is being stopped. */
    static Problem stoppingProblem() {
        return Problem.of(503, "stopping", "Server stopping")
                .with(REASON, "stopping")
                .with(Problem.RETRY_AFTER, 1000);
    }

    private static Answer up() {
        return Answer.ok(JsonText.object().put("status", "up"));
    }
}
