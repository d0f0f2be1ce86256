package dev.semel.bench.once;

import dev.semel.bench.Aims;
import dev.semel.bench.BarChart;
import dev.semel.bench.Measurements;
import dev.semel.bench.Report;
import dev.semel.bench.Task;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The page of the benchmark of calls: aims, all figures, where the time goes, and a plot. */
final class OnceReport extends Report {

    private static final Map<String, String> LABELS = labels();

    /** The parts of an executed call. Its fingerprint is computed beforehand, and a hit is part of other calls. */
    private static final List<String> IN_A_CALL = List.of("findMiss", "json", "documentKey", "commitId", "commit");

    private static final int CALL_MICROS = 5;
    private static final int REPLAY_MICROS = 1;

    OnceReport(Measurements measured) {
        super("once", measured);
    }

    private static Map<String, String> labels() {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("executedAtomic", "**executed, atomic**");
        labels.put("executedAtomicWithQuota", "**executed, atomic, with a quota**");
        labels.put("executedLeased", "**executed, leased**");
        labels.put("replayed", "**replayed**");
        labels.put("mismatched", "**mismatch**");
        labels.put("withoutKey", "the same document without a key");
        labels.put("call", "creating the call: minting and checking its key");
        labels.put("findMiss", "creating the call, and looking up its key: absent");
        labels.put("findHit", "looking up a key: present");
        labels.put("json", "checking the document's JSON");
        labels.put("documentKey", "minting and checking the document's key");
        labels.put("commitId", "minting the commit id");
        labels.put("commit", "the store's commit of both rows");
        labels.put("fingerprint", "fingerprint of 100 bytes");
        labels.put("semel", "**semel**");
        labels.put("erdtman", "java-json-canonicalization 1.1");
        labels.put("jacksonSortedTree", "Jackson, sorted tree");
        return labels;
    }

    @Override
    protected String label(String subject) {
        return LABELS.getOrDefault(subject, subject);
    }

    @Override
    protected String markdown() {
        return "# Benchmark: calls and fingerprints\n\nThis page shows what a call costs on the memory store, where no disk or"
                + " network is involved, and compares fingerprints with other Java libraries. " + opening()
                + "\n![Nanoseconds per call](once.svg)\n\n"
                + "- An *atomic* call uses a new key of one of 4096 users, creates a document of about 100 bytes and returns a"
                + " response of the same size.\n"
                + "- A *leased* call creates no document. It claims its key, renews the lease if needed, and completes.\n"
                + "- A *replayed* call uses one of 1024 completed keys.\n"
                + "- Fingerprints of payloads are computed beforehand. Quotas are off, except in the row that names one. The store"
                + " is replaced after some thousands of calls, to keep garbage collection out of the figures.\n\n"
                + aims()
                + "\n## Calls\n\nNanoseconds per call and thread.\n\n"
                + figures(OnceBench.CALLING, calls())
                + String.format(
                        Locale.ROOT,
                        "%nAn atomic call takes %.2f × as long with a quota. Creating the same document without a key takes"
                                + " %.2f × as long as the atomic call.%n",
                        nanos(OnceBench.CALLING, "executedAtomicWithQuota", 1)
                                / nanos(OnceBench.CALLING, "executedAtomic", 1),
                        nanos(OnceBench.CALLING, "withoutKey", 1) / nanos(OnceBench.CALLING, "executedAtomic", 1))
                + "\n## Where the time goes\n\nThe parts of an executed atomic call, each measured separately. The rest is"
                + " the work of the engine, and cache misses that do not occur when a part runs alone.\n\n"
                + shares()
                + "\nAll parts:\n\n"
                + figures(OnceBench.PARTS, bySpeed(OnceBench.PARTS))
                + "\n## Fingerprints\n\nThe time from the bytes of a payload to the hash of its canonical form.\n"
                + fingerprints();
    }

    private String aims() {
        Task calling = OnceBench.CALLING;
        Aims aims = new Aims();
        for (String subject : List.of("executedAtomic", "executedLeased", "replayed")) {
            int aim = subject.equals("replayed") ? REPLAY_MICROS : CALL_MICROS;
            aims.atMost(plain(subject), nanos(calling, subject, 1) / 1000, " µs", aim);
            aims.atLeast(plain(subject) + ": throughput of two threads, relative to one", gain(calling, subject), 1.6);
        }
        return aims.atLeast("fingerprint of 1 KiB, relative to java-json-canonicalization", ratio("erdtman"), 3)
                .atLeast("fingerprint of 1 KiB, relative to Jackson's sorted tree", ratio("jacksonSortedTree"), 1.5)
                .markdown();
    }

    private double ratio(String peer) {
        return nanos(OnceBench.MIDDLE, peer, 1) / nanos(OnceBench.MIDDLE, "semel", 1);
    }

    private String plain(String subject) {
        return label(subject).replace("**", "");
    }

    private String shares() {
        double whole = nanos(OnceBench.CALLING, "executedAtomic", 1);
        StringBuilder table = new StringBuilder("| | ns | share |\n|---|---|---|\n");
        double rest = whole;
        for (String part : IN_A_CALL) {
            double nanos = nanos(OnceBench.PARTS, part, 1);
            rest -= nanos;
            table.append(share(label(part), nanos, whole));
        }
        return table + share("the rest", rest, whole) + share("**an executed atomic call**", whole, whole);
    }

    private static String share(String what, double nanos, double whole) {
        return String.format(Locale.ROOT, "| %s | %.0f | %.0f %% |%n", what, nanos, 100 * nanos / whole);
    }

    private String fingerprints() {
        StringBuilder sizes = new StringBuilder();
        for (Task task : List.of(OnceBench.SMALL, OnceBench.MIDDLE, OnceBench.LARGE)) {
            sizes.append("\nAbout ")
                    .append(task.parameters().get("size"))
                    .append(" bytes:\n\n")
                    .append(figures(task, bySpeed(task)));
        }
        return sizes.toString();
    }

    private static List<String> calls() {
        return LABELS.keySet().stream()
                .filter(OnceBench.CALLING.subjects()::contains)
                .toList();
    }

    private List<String> bySpeed(Task task) {
        return task.subjects().stream()
                .sorted(Comparator.comparingDouble(subject -> nanos(task, subject, 1)))
                .toList();
    }

    @Override
    protected String svg() {
        BarChart chart = new BarChart("A call, on the memory store", "nanoseconds per call and thread; less is better");
        for (String subject : calls()) {
            chart.add(
                    plain(subject),
                    !subject.equals("withoutKey"),
                    OnceBench.CALLING.threads().stream()
                            .map(threads -> nanos(OnceBench.CALLING, subject, threads))
                            .toList());
        }
        return chart.svg(List.of("upper bar: one thread", "lower bar: two threads"));
    }
}
