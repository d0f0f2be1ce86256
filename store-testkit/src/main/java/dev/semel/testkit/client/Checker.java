package dev.semel.testkit.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Compares what a client and a server did with what a scenario expects: keys, lanes and pauses in the log of the proxy, effects in the
 * server, and the state of the entries in the client.
 */
public final class Checker {

    private final Scenario scenario;
    private final Map<String, String> ids;
    private final double speed;
    private final List<String> violations = new ArrayList<>();

    /**
     * Creates a checker of one run.
     *
     * @param ids the id of each added entry by its name
     * @param speed how many times faster than real time the client's clock ran
     */
    public Checker(Scenario scenario, Map<String, String> ids, double speed) {
        this.scenario = scenario;
        this.ids = Map.copyOf(ids);
        this.speed = speed;
    }

    /**
     * Checks everything, and returns the violations.
     *
     * @param attempts the log of the proxy
     * @param states the entries as the client shows them at the end
     * @param effects the texts of the posts in the server, in the order of their commits
     */
    public List<String> check(List<Attempt> attempts, List<ClientDriver.Entry> states, List<String> effects) {
        Map<String, List<Attempt>> byRequest = new HashMap<>();
        attempts.stream()
                .sorted(Comparator.comparingLong(Attempt::startedNanos))
                .forEach(attempt -> byRequest
                        .computeIfAbsent(attempt.request(), request -> new ArrayList<>())
                        .add(attempt));
        Map<String, ClientDriver.Entry> byId = new HashMap<>();
        states.forEach(state -> byId.put(state.id(), state));
        Set<String> known = new HashSet<>();
        for (Scenario.Entry entry : scenario.entries()) {
            String request = scenario.request(entry).identity();
            known.add(request);
            List<Attempt> own = byRequest.getOrDefault(request, List.of());
            checkState(entry, byId.get(ids.getOrDefault(entry.name(), "")));
            checkAttempts(entry, own);
            checkPauses(entry, own);
        }
        checkKeys(byRequest, byId);
        byRequest.keySet().stream()
                .filter(request -> !known.contains(request))
                .forEach(request -> violations.add("an unknown request was sent: " + request));
        checkLanes(byRequest);
        checkEffects(effects);
        return List.copyOf(violations);
    }

    private void checkState(Scenario.Entry entry, ClientDriver.@Nullable Entry state) {
        String status = state == null ? "gone" : state.status();
        String error = state == null ? "" : state.lastError();
        if (!status.equals(entry.status())) {
            violations.add(entry.name() + " is " + status + (error.isEmpty() ? "" : " (" + error + ")") + ", not "
                    + entry.status());
        } else if (!error.contains(entry.error())) {
            violations.add(
                    entry.name() + " has the error '" + error + "', which does not contain '" + entry.error() + "'");
        }
    }

    private void checkAttempts(Scenario.Entry entry, List<Attempt> own) {
        if (!entry.attempts().contains(own.size())) {
            violations.add(entry.name() + " was sent " + own.size() + " times, not "
                    + entry.attempts().least() + " to " + entry.attempts().most() + " times");
        }
        long tokens = own.stream().map(Attempt::authorization).distinct().count();
        if (tokens < entry.tokens()) {
            violations.add(entry.name() + " was sent with " + tokens + " tokens, not with " + entry.tokens());
        }
    }

    private void checkPauses(Scenario.Entry entry, List<Attempt> own) {
        for (int i = 0; i < entry.pauses().size() && i + 1 < own.size(); i++) {
            Duration pause = Duration.ofNanos(
                    (long) (speed * (own.get(i + 1).startedNanos() - own.get(i).endedNanos())));
            if (pause.compareTo(entry.pauses().get(i)) < 0) {
                violations.add(entry.name() + " was sent again " + pause + " after attempt " + (i + 1) + ", not "
                        + entry.pauses().get(i) + " after it");
            }
        }
    }

    /** An entry has one key and one transaction id in all its attempts, which no other entry has. */
    private void checkKeys(Map<String, List<Attempt>> byRequest, Map<String, ClientDriver.Entry> byId) {
        Map<String, String> owners = new HashMap<>();
        for (Scenario.Entry entry : scenario.entries()) {
            List<Attempt> own = byRequest.getOrDefault(scenario.request(entry).identity(), List.of());
            Set<String> keys = new TreeSet<>();
            Set<String> clientTxIds = new TreeSet<>();
            for (Attempt attempt : own) {
                keys.add(attempt.key());
                clientTxIds.add(attempt.clientTxId());
            }
            ClientDriver.Entry state = byId.get(ids.getOrDefault(entry.name(), ""));
            if (state != null && !own.isEmpty()) {
                keys.add(state.idempotencyKey());
                clientTxIds.add(state.clientTxId());
            }
            if (keys.size() > 1) {
                violations.add(entry.name() + " has " + keys.size() + " keys");
            }
            if (clientTxIds.size() > 1) {
                violations.add(entry.name() + " has " + clientTxIds.size() + " transaction ids");
            }
            for (String key : keys) {
                String other = owners.put(key, entry.name());
                if (other != null) {
                    violations.add(entry.name() + " has the key of " + other);
                }
            }
        }
    }

    /** The entries of a lane are sent in order, one at a time. */
    private void checkLanes(Map<String, List<Attempt>> byRequest) {
        for (List<Scenario.Entry> lane : lanes()) {
            record Sent(Scenario.Entry entry, int place, Attempt attempt) {}
            List<Sent> sent = new ArrayList<>();
            for (int place = 0; place < lane.size(); place++) {
                Scenario.Entry entry = lane.get(place);
                for (Attempt attempt :
                        byRequest.getOrDefault(scenario.request(entry).identity(), List.of())) {
                    sent.add(new Sent(entry, place, attempt));
                }
            }
            sent.sort(Comparator.comparingLong(each -> each.attempt().startedNanos()));
            for (int i = 1; i < sent.size(); i++) {
                Sent before = sent.get(i - 1);
                Sent next = sent.get(i);
                if (next.place() < before.place()) {
                    violations.add(next.entry().name() + " was sent after "
                            + before.entry().name() + ", which follows it");
                }
                if (next.attempt().startedNanos() < before.attempt().endedNanos()) {
                    violations.add(next.entry().name() + " was sent while "
                            + before.entry().name() + " of the same lane was in progress");
                }
            }
        }
    }

    /** Each entry has its effect as often as expected, and the effects of a lane are in order. */
    private void checkEffects(List<String> effects) {
        Map<String, List<Integer>> places = new HashMap<>();
        for (int i = 0; i < effects.size(); i++) {
            places.computeIfAbsent(effects.get(i), effect -> new ArrayList<>()).add(i);
        }
        for (List<Scenario.Entry> lane : lanes()) {
            int last = -1;
            for (Scenario.Entry entry : lane) {
                List<Integer> own = places.getOrDefault(scenario.effect(entry), List.of());
                if (own.size() != entry.effects()) {
                    violations.add(entry.name() + " took effect " + own.size() + " times, not " + entry.effects());
                }
                if (!own.isEmpty() && own.get(0) < last) {
                    violations.add(entry.name() + " took effect before an entry that was added earlier");
                }
                last = own.isEmpty() ? last : Math.max(last, own.get(0));
            }
        }
    }

    private Iterable<List<Scenario.Entry>> lanes() {
        Map<String, List<Scenario.Entry>> lanes = new HashMap<>();
        scenario.entries()
                .forEach(entry -> lanes.computeIfAbsent(entry.lane(), lane -> new ArrayList<>())
                        .add(entry));
        return lanes.values();
    }
}
