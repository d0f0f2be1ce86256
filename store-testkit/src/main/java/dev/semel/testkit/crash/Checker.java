package dev.semel.testkit.crash;

import dev.semel.key.KeyTemplate;
import dev.semel.store.Document;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Scan;
import dev.semel.store.Store;
import dev.semel.testkit.crash.Acknowledgement.How;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Looks whether a store holds what was acknowledged, exactly once, and nothing else. */
final class Checker {

    private static final int PAGE = 1000;

    private final Store store;
    private final Workload workload;
    private final History history;
    private final long last;
    private final List<List<EffectFile.Line>> linesByLife;
    private final Map<Long, List<Long>> fencesByNumber = new HashMap<>();
    private final Map<Long, List<Document>> effectsByNumber = new HashMap<>();
    private final Map<Integer, List<Long>> fencesByLife = new TreeMap<>();
    private final Map<Long, Long> numbersByFence = new HashMap<>();
    private final List<String> violations = new ArrayList<>();
    private long checked;
    private long effects;
    private long rerun;
    private long frozen;

    /**
     * @param last the highest operation that any worker was asked for; all up to it are acknowledged
     * @param linesByLife what each worker has added to the file
     */
    Checker(Store store, Workload workload, History history, long last, List<List<EffectFile.Line>> linesByLife) {
        this.store = store;
        this.workload = workload;
        this.history = history;
        this.last = last;
        this.linesByLife = linesByLife;
    }

    /** Checks everything, and returns what does not hold. */
    List<String> check() {
        violations.addAll(history.contradictions());
        readLines();
        readEffects();
        for (long number = 1; number <= last; number++) {
            check(number);
        }
        checkCounters();
        checkFences();
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

    private void readLines() {
        for (int life = 0; life < linesByLife.size(); life++) {
            for (EffectFile.Line line : linesByLife.get(life)) {
                fencesByNumber
                        .computeIfAbsent(line.number(), number -> new ArrayList<>())
                        .add(line.fence());
                fencesByLife.computeIfAbsent(life, key -> new ArrayList<>()).add(line.fence());
                if (numbersByFence.put(line.fence(), line.number()) != null) {
                    violations.add("fence " + line.fence() + " was given twice, to operation " + line.number()
                            + " among others");
                }
                effects++;
            }
        }
    }

    private void readEffects() {
        List<Document> byKey = scan("effects", "", Workload.EFFECT_KEY);
        List<Document> byNumber = scan("effects", Workload.EFFECT_BY_NUMBER.name(), Workload.EFFECT_BY_NUMBER);
        compare(byKey, byNumber);
        for (Document effect : byKey) {
            effectsByNumber
                    .computeIfAbsent(Workload.number(effect), number -> new ArrayList<>())
                    .add(effect);
            effects++;
        }
        effectsByNumber.keySet().stream()
                .filter(number -> number > last)
                .forEach(number -> violations.add("operation " + number + " has an effect, and was never asked for"));
    }

    private List<Document> scan(String collection, String furtherKey, KeyTemplate template) {
        List<Document> all = new ArrayList<>();
        String after = "";
        while (true) {
            List<Document> page =
                    store.scan(new Scan(collection, "", furtherKey, template.range(Map.of()), after, PAGE));
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
                violations.add("the effect " + document.key() + " is found by its number, but not by its key alike");
            }
        }
        both.forEach(document ->
                violations.add("the effect " + document.key() + " is found by its key, but not by its number"));
    }

    private void check(long number) {
        Kind kind = workload.kind(number);
        String name = "operation " + number + " (" + kind + ")";
        OnceRecord record = store.find(Workload.key(number), Quota.NONE).record();
        Optional<Acknowledgement> acknowledged = history.of(number);
        if (acknowledged.isEmpty()) {
            violations.add(name + " was not acknowledged, although the last worker came to its end");
        } else if (record == null) {
            violations.add(name + " was acknowledged, and has no record");
        } else {
            int before = violations.size();
            checkAnswer(name, acknowledged.get(), record);
            if (kind == Kind.ATOMIC) {
                checkAtomic(name, number, record);
            } else {
                checkLeased(name, number, kind, record);
            }
            checked += violations.size() == before ? 1 : 0;
            return;
        }
        if (record == null && (effectsByNumber.containsKey(number) || fencesByNumber.containsKey(number))) {
            violations.add(name + " has an effect, and no record");
        }
    }

    private void checkAnswer(String name, Acknowledgement acknowledged, OnceRecord record) {
        OnceStatus expected = acknowledged.how() == How.UNKNOWN ? OnceStatus.UNKNOWN : OnceStatus.COMPLETED;
        if (record.status() != expected) {
            violations.add(
                    name + " was acknowledged as " + acknowledged.how() + ", and its record is " + record.status());
        } else if (expected == OnceStatus.COMPLETED && !answer(record).equals(acknowledged.answer())) {
            violations.add(name + " was answered \"" + acknowledged.answer() + "\", and its record says \""
                    + answer(record) + "\"");
        }
    }

    private static String answer(OnceRecord record) {
        Response response = record.response();
        return response == null ? "-" : response.text();
    }

    private void checkAtomic(String name, long number, OnceRecord record) {
        List<Document> found = effectsByNumber.getOrDefault(number, List.of());
        if (found.size() != 1) {
            violations.add(name + " is " + record.status() + " and has " + found.size() + " effects"
                    + found.stream().map(Document::key).collect(Collectors.joining(", ", " [", "]")));
        } else if (!found.get(0).key().equals(answer(record))) {
            violations.add(name + " was answered " + answer(record) + ", and its effect is "
                    + found.get(0).key());
        } else if (!found.get(0).data().equals(workload.data(number))) {
            violations.add(
                    name + " has an effect with other data: " + found.get(0).data());
        }
        if (numbersByFence.put(record.fence(), number) != null) {
            violations.add("fence " + record.fence() + " was given twice, to " + name + " among others");
        }
        Integer life = history.executedIn(number);
        if (life != null) {
            fencesByLife.computeIfAbsent(life, key -> new ArrayList<>()).add(record.fence());
        }
    }

    private void checkLeased(String name, long number, Kind kind, OnceRecord record) {
        List<Long> fences = fencesByNumber.getOrDefault(number, List.of());
        long highest = fences.isEmpty() ? 0 : Collections.max(fences);
        if (kind == Kind.FREEZE && fences.size() > 1) {
            violations.add(name + " has its effect " + fences.size() + " times, and must not be run again");
        }
        if (record.status() == OnceStatus.COMPLETED) {
            if (fences.isEmpty()) {
                violations.add(name + " is completed, and has no effect");
            } else if (!answer(record).equals(CrashWorker.leasedAnswer(number, highest))) {
                violations.add(name + " has the answer " + answer(record) + ", and the highest fence in the file is "
                        + highest);
            }
        }
        if (record.fence() < highest) {
            violations.add(name + " has the fence " + record.fence() + ", and ran with " + highest);
        }
        rerun += fences.size() > 1 ? 1 : 0;
        frozen += record.status() == OnceStatus.UNKNOWN ? 1 : 0;
    }

    private void checkCounters() {
        for (int bucket = 0; bucket < Workload.BUCKETS; bucket++) {
            String name = Workload.counter(bucket);
            long count =
                    Workload.COUNTERS.read(store, name).map(Workload::count).orElse(0L);
            long expected = 0;
            for (Map.Entry<Long, List<Document>> effect : effectsByNumber.entrySet()) {
                if (workload.bucket(effect.getKey()) == bucket) {
                    expected += effect.getValue().size();
                }
            }
            if (count != expected) {
                violations.add("the count of " + name + " is " + count + ", and there are " + expected + " effects");
            }
        }
    }

    /** Whatever was given out before a kill is lower than all that comes after. */
    private void checkFences() {
        long highest = 0;
        for (Map.Entry<Integer, List<Long>> life : fencesByLife.entrySet()) {
            long lowest = Collections.min(life.getValue());
            if (lowest <= highest) {
                violations.add("fence " + lowest + " was given after kill " + life.getKey() + ", and " + highest
                        + " before it");
            }
            highest = Math.max(highest, Collections.max(life.getValue()));
        }
    }
}
