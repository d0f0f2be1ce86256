package dev.semel.testkit.crash;

import dev.semel.key.KeyTemplate;
import dev.semel.store.Document;
import dev.semel.store.Response;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.DocumentStore.Scan;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.OnceStore;
import dev.semel.testkit.crash.Acknowledgement.How;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks that a store contains the effect of each acknowledged operation exactly once, and no other effects. */
final class Checker {

    private static final int PAGE = 1000;

    private final OnceStore store;
    private final Workload workload;
    private final History history;
    private final long last;
    private final List<List<EffectFile.Line>> linesByGroup;
    private final Map<Long, List<Long>> tokensByNumber = new HashMap<>();
    private final Map<Long, List<Document>> effectsByNumber = new HashMap<>();
    private final List<String> violations = new ArrayList<>();
    private long checked;
    private long effects;
    private long rerun;
    private long frozen;

    /**
     * @param last number of the last operation that any worker may have started; all operations up to it are acknowledged
     * @param linesByGroup lines of the effect file by group of workers, in the order of the groups
     */
    Checker(OnceStore store, Workload workload, History history, long last, List<List<EffectFile.Line>> linesByGroup) {
        this.store = store;
        this.workload = workload;
        this.history = history;
        this.last = last;
        this.linesByGroup = linesByGroup;
    }

    /** Checks everything, and returns the violations. */
    List<String> check() {
        violations.addAll(history.contradictions());
        readLines();
        if (store instanceof DocumentStore documents) {
            readEffects(documents);
            checkCounters(documents);
        }
        for (long number = 1; number <= last; number++) {
            check(number);
        }
        return violations;
    }

    CrashReport report(int kills, int killsWhileOpening) {
        return new CrashReport(
                kills,
                killsWhileOpening,
                history.operations(),
                history.acknowledgements(),
                checked,
                effects,
                rerun,
                frozen);
    }

    /** Reads the effect file, and checks that the fencing tokens of an operation are distinct and rise with each kill. */
    private void readLines() {
        for (List<EffectFile.Line> lines : linesByGroup) {
            Map<Long, Long> highestBefore = new HashMap<>();
            tokensByNumber.forEach((number, tokens) -> highestBefore.put(number, Collections.max(tokens)));
            for (EffectFile.Line line : lines) {
                List<Long> tokens = tokensByNumber.computeIfAbsent(line.number(), number -> new ArrayList<>());
                if (tokens.contains(line.fencingToken())) {
                    violations.add("the fencing token " + line.fencingToken() + " of operation " + line.number()
                            + " was issued twice");
                } else if (line.fencingToken() < highestBefore.getOrDefault(line.number(), 0L)) {
                    violations.add("operation " + line.number() + " got the fencing token " + line.fencingToken()
                            + " after a kill, and " + highestBefore.get(line.number()) + " before it");
                }
                tokens.add(line.fencingToken());
                effects++;
            }
        }
    }

    private void readEffects(DocumentStore documents) {
        List<Document> byKey = scan(documents, "", Workload.EFFECT_KEY);
        List<Document> byNumber = scan(documents, Workload.EFFECT_BY_NUMBER.name(), Workload.EFFECT_BY_NUMBER);
        compare(byKey, byNumber);
        for (Document effect : byKey) {
            effectsByNumber
                    .computeIfAbsent(Workload.number(effect), number -> new ArrayList<>())
                    .add(effect);
            effects++;
        }
        effectsByNumber.keySet().stream()
                .filter(number -> number > last)
                .forEach(number -> violations.add("operation " + number + " has an effect, but was never requested"));
    }

    private static List<Document> scan(DocumentStore documents, String index, KeyTemplate template) {
        List<Document> all = new ArrayList<>();
        String after = "";
        while (true) {
            List<Document> page = documents.scan(new Scan("effects", "", index, template.range(Map.of()), after, PAGE));
            all.addAll(page);
            if (page.size() < PAGE) {
                return all;
            }
            after = template.key(Workload.EFFECT_KEY.parse(page.get(PAGE - 1).key()));
        }
    }

    private void compare(List<Document> byKey, List<Document> byNumber) {
        Set<Document> both = new HashSet<>(byKey);
        for (Document document : byNumber) {
            if (!both.remove(document)) {
                violations.add("the effect " + document.key()
                        + " is found by its number, but is missing or different by its key");
            }
        }
        both.forEach(document ->
                violations.add("the effect " + document.key() + " is found by its key, but not by its number"));
    }

    private void check(long number) {
        Kind kind = workload.kind(number);
        String name = "operation " + number + " (" + kind + ")";
        IdempotencyRecord record = store.find(Workload.key(number)).record();
        Optional<Acknowledgement> acknowledged = history.of(number);
        if (acknowledged.isEmpty()) {
            violations.add(name + " was not acknowledged, although the last worker has ended");
        } else if (record == null) {
            violations.add(name + " was acknowledged, but has no record");
        } else {
            int before = violations.size();
            checkResponse(name, acknowledged.get(), record);
            if (kind == Kind.ATOMIC) {
                checkAtomic(name, number, record);
            } else {
                checkLeased(name, number, kind, record);
            }
            checked += violations.size() == before ? 1 : 0;
            return;
        }
        if (record == null && (effectsByNumber.containsKey(number) || tokensByNumber.containsKey(number))) {
            violations.add(name + " has an effect, but no record");
        }
    }

    private void checkResponse(String name, Acknowledgement acknowledged, IdempotencyRecord record) {
        Status expected = acknowledged.how() == How.UNKNOWN ? Status.UNKNOWN : Status.COMPLETED;
        if (record.status() != expected) {
            violations.add(
                    name + " was acknowledged as " + acknowledged.how() + ", but its record is " + record.status());
        } else if (expected == Status.COMPLETED && !response(record).equals(acknowledged.response())) {
            violations.add(name + " got the response \"" + acknowledged.response() + "\", but its record contains \""
                    + response(record) + "\"");
        }
    }

    private static String response(IdempotencyRecord record) {
        Response response = record.response();
        return response == null ? "-" : response.text();
    }

    private void checkAtomic(String name, long number, IdempotencyRecord record) {
        List<Document> found = effectsByNumber.getOrDefault(number, List.of());
        if (found.size() != 1) {
            violations.add(name + " is " + record.status() + " and has " + found.size() + " effects"
                    + found.stream().map(Document::key).collect(Collectors.joining(", ", " [", "]")));
        } else if (!found.get(0).key().equals(response(record))) {
            violations.add(name + " got the response " + response(record) + ", but its effect is "
                    + found.get(0).key());
        } else if (!found.get(0).data().equals(workload.data(number))) {
            violations.add(
                    name + " has an effect with other data: " + found.get(0).data());
        }
    }

    private void checkLeased(String name, long number, Kind kind, IdempotencyRecord record) {
        List<Long> fencingTokens = tokensByNumber.getOrDefault(number, List.of());
        long highest = fencingTokens.isEmpty() ? 0 : Collections.max(fencingTokens);
        if (kind == Kind.FREEZE && fencingTokens.size() > 1) {
            violations.add(name + " has its effect " + fencingTokens.size() + " times, but must run at most once");
        }
        if (record.status() == Status.COMPLETED) {
            if (fencingTokens.isEmpty()) {
                violations.add(name + " is completed, but has no effect");
            } else if (!response(record).equals(CrashWorker.leasedResponse(number, highest))) {
                violations.add(name + " has the response " + response(record)
                        + ", but the highest fencing token in the file is " + highest);
            }
        }
        if (record.fencingToken() < highest) {
            violations.add(name + " has the fencing token " + record.fencingToken() + ", but ran with " + highest);
        }
        rerun += fencingTokens.size() > 1 ? 1 : 0;
        frozen += record.status() == Status.UNKNOWN ? 1 : 0;
    }

    private void checkCounters(DocumentStore documents) {
        for (int bucket = 0; bucket < Workload.BUCKETS; bucket++) {
            String name = Workload.counter(bucket);
            long count =
                    Workload.COUNTERS.read(documents, name).map(Workload::count).orElse(0L);
            long expected = 0;
            for (Map.Entry<Long, List<Document>> effect : effectsByNumber.entrySet()) {
                if (workload.bucket(effect.getKey()) == bucket) {
                    expected += effect.getValue().size();
                }
            }
            if (count != expected) {
                violations.add("the count of " + name + " is " + count + ", but there are " + expected + " effects");
            }
        }
    }
}
