package dev.semel.testkit.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A test of a client: what is queued, what goes wrong, and what has to come out.
 *
 * @param name identifies the scenario
 * @param about what goes wrong
 * @param entries the entries, in the order in which they are added
 * @param steps what happens, in order; at the end, the run waits until the client has nothing more to do
 */
public record Scenario(String name, String about, List<Entry> entries, List<Step> steps) {

    private static final String RESOURCE = "scenarios.json";
    private static final String FEED = "/v1/feed/posts";

    /** Copies the lists. Without steps, all entries are added at once. */
    public Scenario {
        entries = List.copyOf(entries);
        steps = steps.isEmpty() ? List.of(Step.addAll()) : List.copyOf(steps);
    }

    /**
     * An entry and what is expected of it.
     *
     * @param name identifies the entry in the scenario
     * @param lane its lane
     * @param method the method of the request
     * @param endpoint the endpoint of the request
     * @param payload the payload; null for a post of the feed with a text that names scenario and entry
     * @param faults the fault of each attempt, in order; later attempts have none
     * @param status the status at the end: {@code confirmed}, {@code failed}, {@code pending}, or {@code gone} if it was discarded
     * @param error a part of the entry's error at the end
     * @param effects how many posts it has made
     * @param attempts the lowest and the highest number of attempts
     * @param pauses the shortest pause after each attempt, in order
     * @param tokens the lowest number of different tokens that it was sent with
     */
    public record Entry(
            String name,
            String lane,
            String method,
            String endpoint,
            @Nullable String payload,
            List<Fault> faults,
            String status,
            String error,
            int effects,
            Range attempts,
            List<Duration> pauses,
            int tokens) {

        Fault fault(int attempt) {
            return attempt <= faults.size() ? faults.get(attempt - 1) : Fault.NONE;
        }
    }

    /** A lowest and a highest number. */
    public record Range(int least, int most) {

        boolean contains(int number) {
            return number >= least && number <= most;
        }
    }

    /**
     * A step.
     *
     * @param action what is done
     * @param entries names of the entries it is done to; empty for all
     * @param attempt for {@link Action#AWAIT}: the attempt that has to have ended
     * @param by for {@link Action#CLOCK}: how far the clocks of client and server are set forward
     */
    public record Step(Action action, List<String> entries, int attempt, Duration by) {

        static Step addAll() {
            return new Step(Action.ADD, List.of(), 0, Duration.ZERO);
        }
    }

    /** What a step of a scenario does. */
    public enum Action {
        /** Adds entries, in the order of the scenario. */
        ADD,

        /** Waits until an attempt to send an entry has ended. */
        AWAIT,

        /** Waits until the client has nothing more to do. */
        SETTLE,

        /** Lets failed entries be sent again. */
        RETRY,

        /** Discards entries of the outbox. */
        DISCARD,

        /** Switches the network off. */
        OFFLINE,

        /** Switches the network on. */
        ONLINE,

        /** Sets the clocks forward. */
        CLOCK,

        /** Kills the client and starts it again. */
        KILL_CLIENT,

        /** Stops the client in an orderly way and starts it again. */
        RESTART_CLIENT,

        /** Kills the server as {@code kill -9} does. */
        KILL_SERVER,

        /** Starts the server on the data that it had. */
        START_SERVER
    }

    /** Returns the request that an entry stands for. */
    public ClientDriver.Request request(Entry entry) {
        String payload = Objects.requireNonNullElse(entry.payload(), "{\"text\":\"" + effect(entry) + "\"}");
        return new ClientDriver.Request(entry.method(), entry.endpoint(), payload, entry.lane());
    }

    /** Returns the text of the post that an entry makes. */
    public String effect(Entry entry) {
        return name + "/" + entry.name();
    }

    /** Returns the faults of this scenario. */
    public FaultPlan plan() {
        Map<String, Entry> byRequest = new HashMap<>();
        entries.forEach(entry -> byRequest.put(request(entry).identity(), entry));
        return (request, attempt) -> {
            Entry entry = byRequest.get(request);
            return entry == null ? Fault.NONE : entry.fault(attempt);
        };
    }

    @Override
    public String toString() {
        return name;
    }

    /** Returns all scenarios, in the order of the file. */
    public static List<Scenario> all() {
        JsonMapper mapper = JsonMapper.builder()
                .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build();
        try (InputStream in = Objects.requireNonNull(Scenario.class.getResourceAsStream(RESOURCE), RESOURCE)) {
            JsonNode file = mapper.readTree(in);
            return new Reader(mapper, file).scenarios(file.get("scenarios"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the scenario with a name. */
    public static Scenario named(String name) {
        return all().stream()
                .filter(scenario -> scenario.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no scenario " + name));
    }

    /** Reads scenarios, whose faults may be names of common ones. */
    private static final class Reader {

        private final JsonMapper mapper;
        private final Map<String, Fault> common = new LinkedHashMap<>();

        Reader(JsonMapper mapper, JsonNode file) {
            this.mapper = mapper;
            file.get("faults")
                    .properties()
                    .forEach(fault -> common.put(fault.getKey(), mapper.treeToValue(fault.getValue(), Fault.class)));
        }

        List<Scenario> scenarios(JsonNode all) {
            List<Scenario> scenarios = new ArrayList<>();
            all.forEach(each -> scenarios.add(scenario(each)));
            return scenarios;
        }

        private Scenario scenario(JsonNode node) {
            String name = node.get("name").stringValue();
            List<Entry> entries = new ArrayList<>();
            node.get("entries").forEach(entry -> entries.add(entry(entry)));
            List<Step> steps = new ArrayList<>();
            node.path("steps").forEach(step -> steps.add(step(step)));
            return new Scenario(name, node.get("about").stringValue(), entries, steps);
        }

        private Entry entry(JsonNode node) {
            List<Fault> faults = new ArrayList<>();
            node.path("faults").forEach(fault -> faults.add(fault(fault)));
            String status = node.path("status").asString("confirmed");
            JsonNode attempts = node.path("attempts");
            int least = faults.size() + (status.equals("confirmed") ? 1 : 0);
            List<Duration> pauses = new ArrayList<>();
            node.path("pauses").forEach(pause -> pauses.add(Duration.parse(pause.stringValue())));
            return new Entry(
                    node.get("name").stringValue(),
                    node.path("lane").asString("a"),
                    node.path("method").asString("POST"),
                    node.path("endpoint").asString(FEED),
                    node.has("payload") ? node.get("payload").stringValue() : null,
                    faults,
                    status,
                    node.path("error").asString(""),
                    node.path("effects").asInt(status.equals("confirmed") ? 1 : 0),
                    new Range(attempts.path(0).asInt(least), attempts.path(1).asInt(Math.max(1, least))),
                    pauses,
                    node.path("tokens").asInt(0));
        }

        private Fault fault(JsonNode node) {
            if (!node.isString()) {
                return mapper.treeToValue(node, Fault.class);
            }
            Fault fault = common.get(node.stringValue());
            if (fault == null) {
                throw new IllegalArgumentException("There is no fault " + node.stringValue());
            }
            return fault;
        }

        private Step step(JsonNode node) {
            List<String> entries = new ArrayList<>();
            node.path("entries").forEach(entry -> entries.add(entry.stringValue()));
            return new Step(
                    mapper.treeToValue(node.get("do"), Action.class),
                    entries,
                    node.path("attempt").asInt(0),
                    Duration.parse(node.path("by").asString("PT0S")));
        }
    }
}
