package dev.semel.server.outbox;

import dev.semel.testkit.ScaledTime;
import dev.semel.testkit.client.ClientDriver;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Runs the Java outbox in a separate process. A process that was not killed is used again by the next scenario, which has another outbox
 * in the same store.
 */
final class OutboxDriver implements ClientDriver {

    private final Host host;
    private final String name;
    private final String user;

    /** A store, its clock, and the process that uses it. */
    static final class Host implements AutoCloseable {

        private final String store;
        private final double speed;
        private final Path log;
        private final Instant origin =
                Instant.ofEpochMilli(InstantSource.system().millis());
        private final ScaledTime time;
        private Duration offset = Duration.ZERO;
        private @Nullable WorkerProcess process;

        /**
         * Creates a host without a process.
         *
         * @param speed how many times faster than real time the clock runs
         */
        Host(String store, double speed, Path log) {
            this.store = store;
            this.speed = speed;
            this.log = log;
            this.time = new ScaledTime(origin, speed, Duration.ZERO);
        }

        WorkerProcess process() {
            if (process == null || !process.isAlive()) {
                process = WorkerProcess.start(store, new WorkerProcess.Clock(origin, speed, offset), log);
            }
            return process;
        }

        void advance(Duration step) {
            process().call("advance", "millis", step.toMillis());
            offset = offset.plus(step);
            time.advance(step);
        }

        @Override
        public void close() {
            if (process != null) {
                process.close();
            }
        }
    }

    /**
     * Creates a driver.
     *
     * @param name name of the outbox
     * @param user name of the user who sends
     */
    OutboxDriver(Host host, String name, String user) {
        this.host = host;
        this.name = name;
        this.user = user;
    }

    @Override
    public void start(URI api) {
        host.process().call("open", "name", name);
        host.process().call("start", "api", api.toString(), "user", user);
    }

    @Override
    public void stop() {
        host.process().call("stop");
    }

    @Override
    public void kill() {
        host.process().kill();
    }

    @Override
    public String add(Request request) {
        return host.process()
                .call(
                        "add",
                        "method",
                        request.method(),
                        "endpoint",
                        request.endpoint(),
                        "payload",
                        request.payload(),
                        "lane",
                        request.lane())
                .get("id")
                .stringValue();
    }

    @Override
    public List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        for (JsonNode entry : host.process().call("entries").get("entries")) {
            entries.add(new Entry(
                    entry.get("id").stringValue(),
                    entry.get("key").stringValue(),
                    entry.get("clientTxId").stringValue(),
                    entry.get("lane").stringValue(),
                    entry.get("status").stringValue(),
                    entry.get("error").stringValue()));
        }
        return entries;
    }

    @Override
    public void retry(String id) {
        host.process().call("retry", "id", id);
    }

    @Override
    public void discard(String id) {
        host.process().call("discard", "id", id);
    }

    @Override
    public void network(boolean isOn) {
        if (isOn) {
            host.process().call("network");
        }
    }

    @Override
    public boolean advance(Duration step) {
        host.advance(step);
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
    public void close() {
        stop();
    }
}
