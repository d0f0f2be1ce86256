package dev.semel.testkit.client;

import dev.semel.testkit.Eventually;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.Assumptions;

/**
 * Runs a scenario with a client and a server, and checks it.
 *
 * <p>The server needs the API of Semel's feed: {@code POST /v1/feed/posts}.
 */
public final class ScenarioRun implements AutoCloseable {

    private final Scenario scenario;
    private final Duration patience;
    private final ClientDriver client;
    private final ServerDriver server;
    private final FaultProxy proxy;
    private final Map<String, String> ids = new HashMap<>();
    private final List<String> violations = new CopyOnWriteArrayList<>();
    private final Object lock = new Object();
    private boolean isOver;

    /**
     * Prepares a run, without starting the client.
     *
     * @param client stopped, and without entries
     * @param server ready
     */
    public ScenarioRun(Scenario scenario, ClientDriver client, ServerDriver server) {
        this(scenario, client, server, Eventually.PATIENCE);
    }

    ScenarioRun(Scenario scenario, ClientDriver client, ServerDriver server, Duration patience) {
        this.patience = patience;
        this.scenario = scenario;
        this.client = client;
        this.server = server;
        this.proxy = new FaultProxy(scenario.plan(), this::kill, client.clock());
        if (client.resends()) {
            proxy.closeAfterEachResponse();
        }
        proxy.forwardTo(server.port());
    }

    /**
     * Runs the scenario to its end, and returns what is not as expected. Empty if the client has done everything right.
     *
     * @throws org.opentest4j.TestAbortedException if the scenario sets clocks, and one of them cannot be set
     */
    public List<String> run() {
        try {
            inClient(driver -> driver.start(proxy.uri()));
            scenario.steps().forEach(this::take);
            settle();
        } catch (AssertionError e) {
            violations.add(String.valueOf(e.getMessage()));
        }
        synchronized (lock) {
            isOver = true;
            violations.addAll(new Checker(scenario, ids, client.speed())
                    .check(proxy.attempts(), client.entries(), server.effects()));
        }
        return List.copyOf(violations);
    }

    /** Returns what was sent, for the message of a failure. */
    public List<Attempt> attempts() {
        return proxy.attempts();
    }

    private void take(Scenario.Step step) {
        switch (step.action()) {
            case ADD ->
                named(step)
                        .forEach(entry ->
                                inClient(driver -> ids.put(entry.name(), driver.add(scenario.request(entry)))));
            case RETRY -> named(step).forEach(entry -> inClient(driver -> driver.retry(id(entry))));
            case DISCARD -> named(step).forEach(entry -> inClient(driver -> driver.discard(id(entry))));
            case AWAIT -> named(step).forEach(entry -> awaitAttempt(entry, step.attempt()));
            case SETTLE -> settle();
            case OFFLINE -> network(false);
            case ONLINE -> network(true);
            case CLOCK -> advance(step.by());
            case KILL_CLIENT ->
                inClient(driver -> {
                    driver.kill();
                    driver.start(proxy.uri());
                });
            case RESTART_CLIENT ->
                inClient(driver -> {
                    driver.stop();
                    driver.start(proxy.uri());
                });
            case KILL_SERVER -> server.kill();
            case START_SERVER -> startServer();
        }
    }

    private void inClient(Consumer<ClientDriver> action) {
        synchronized (lock) {
            action.accept(client);
        }
    }

    private List<ClientDriver.Entry> entries() {
        synchronized (lock) {
            return client.entries();
        }
    }

    private List<Scenario.Entry> named(Scenario.Step step) {
        return scenario.entries().stream()
                .filter(entry -> step.entries().isEmpty() || step.entries().contains(entry.name()))
                .toList();
    }

    private String id(Scenario.Entry entry) {
        return Objects.requireNonNull(ids.get(entry.name()), entry.name());
    }

    private void network(boolean isOn) {
        proxy.network(isOn);
        inClient(driver -> driver.network(isOn));
    }

    private void advance(Duration by) {
        synchronized (lock) {
            boolean isServerSet = server.advance(by);
            boolean isClientSet = client.advance(by);
            proxy.forwardTo(server.port());
            Assumptions.assumeTrue(isServerSet && isClientSet, "The clocks can be set");
        }
    }

    private void startServer() {
        server.start();
        proxy.forwardTo(server.port());
    }

    /** Called by the proxy, while the rest of the scenario goes on. */
    private void kill(Fault.Target target) {
        synchronized (lock) {
            if (isOver) {
                return;
            }
            try {
                if (target == Fault.Target.CLIENT) {
                    client.kill();
                    client.start(proxy.uri());
                } else {
                    server.kill();
                    startServer();
                }
            } catch (RuntimeException | AssertionError e) {
                violations.add("The " + target + " did not start again: " + e);
            }
        }
    }

    private void awaitAttempt(Scenario.Entry entry, int number) {
        String request = scenario.request(entry).identity();
        Eventually.assertHolds(patience, () -> {
            boolean hasEnded = proxy.attempts().stream()
                    .anyMatch(attempt ->
                            attempt.request().equals(request) && attempt.number() == number && attempt.isEnded());
            require(hasEnded, "Attempt " + number + " to send " + entry.name() + " has not ended");
        });
    }

    /** Waits until no entry is pending but those behind a failed one. */
    private void settle() {
        Eventually.assertHolds(patience, () -> {
            List<ClientDriver.Entry> entries = entries();
            Set<String> stopped = new HashSet<>();
            for (ClientDriver.Entry entry : entries) {
                if (entry.status().equals("failed")) {
                    stopped.add(entry.lane());
                }
            }
            for (ClientDriver.Entry entry : entries) {
                require(
                        !entry.status().equals("pending") || stopped.contains(entry.lane()),
                        scenario + " has not settled; " + entry.lane() + " waits: " + entry.lastError());
            }
        });
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new AssertionError(message);
        }
    }

    /** Closes the proxy and the client. */
    @Override
    public void close() {
        proxy.close();
        synchronized (lock) {
            isOver = true;
            client.close();
        }
    }
}
