package dev.semel.bench.once;

import dev.semel.bench.BarChart;
import dev.semel.bench.Measurements;
import dev.semel.bench.Report;
import dev.semel.bench.Task;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Tells what a call costs: aims first, then every figure, where the time goes, and a plot. */
final class OnceReport extends Report {

    private static final Map<String, String> LABELS = labels();

    /** The parts that make up an executed call; the fingerprint is taken before, and a hit is another call's. */
    private static final List<String> IN_A_CALL = List.of("findMiss", "json", "documentKey", "attempt", "commit");

    private static final int LOW_MICROSECONDS = 5_000;
    private static final int ONE_MICROSECOND = 1_000;

    OnceReport(Measurements measured) {
        super(measured);
    }

    private static Map<String, String> labels() {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("executedAtomic", "**executed, atomic**");
        labels.put("executedAtomicWithQuota", "**executed, atomic, with a quota**");
        labels.put("executedLeased", "**executed, leased**");
        labels.put("replayed", "**replayed**");
        labels.put("mismatched", "**mismatch**");
        labels.put("withoutKey", "the same document without a key");
        labels.put("call", "making the call, its key minted and checked");
        labels.put("findMiss", "the call, and looking up its key: not there");
        labels.put("findHit", "looking up a key: there");
        labels.put("json", "checking the document's JSON");
        labels.put("documentKey", "minting and checking the document's key");
        labels.put("attempt", "minting the id of the commit");
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
        return "# Once: how fast\n\n" + opening("once")
                + "\n![Nanoseconds for a call](once.svg)\n\n"
                + "A call is one payment: with a new key for one of 4096 users, it creates a document of about 100 bytes"
                + " and answers with as many, over the memory store; the fingerprint of its payload is taken before. A"
                + " leased one creates nothing: what is measured is to claim, to keep the lease and to complete."
                + " Retries are spread over 1024 completed keys. New calls go to a new store after some thousands, so that it is"
                + " the engine that is measured, and not the collector that copies what is kept. Quotas are off but where"
                + " it says so.\n\n"
                + "## Aims\n\n| what | measured | aim | reached |\n|---|---|---|---|\n"
                + aims()
                + "\n## Calls\n\nNanoseconds per call and thread.\n\n"
                + figures(OnceBench.CALLING, calls())
                + String.format(
                        Locale.ROOT,
                        "%nA quota makes an atomic call %.2f × as long. The same document without a key takes %.2f of the"
                                + " time of one with: that is what exactly once costs over memory.%n",
                        nanos(OnceBench.CALLING, "executedAtomicWithQuota", 1)
                                / nanos(OnceBench.CALLING, "executedAtomic", 1),
                        nanos(OnceBench.CALLING, "withoutKey", 1) / nanos(OnceBench.CALLING, "executedAtomic", 1))
                + "\n## Where the time goes\n\nWhat an executed atomic call is made of, each measured alone, and what is"
                + " left: the engine's own work, and what memory costs when all of it is done together.\n\n"
                + shares()
                + "\nEvery part:\n\n"
                + figures(OnceBench.PARTS, bySpeed(OnceBench.PARTS))
                + "\n## Fingerprints\n\nFrom the bytes of a payload to a hash that does not depend on their spelling.\n"
                + fingerprints();
    }

    private String aims() {
        Task calling = OnceBench.CALLING;
        StringBuilder aims = new StringBuilder();
        for (String subject : List.of("executedAtomic", "executedLeased")) {
            aims.append(atMost(subject, LOW_MICROSECONDS));
        }
        aims.append(atMost("replayed", ONE_MICROSECOND));
        for (String subject : List.of("executedAtomic", "executedLeased", "replayed")) {
            aims.append(atLeast(plain(subject) + ": two threads to one", gain(calling, subject), 1.6));
        }
        aims.append(atLeast("fingerprint of 1 KiB, to java-json-canonicalization", ratio("erdtman"), 3));
        aims.append(atLeast("fingerprint of 1 KiB, to Jackson's sorted tree", ratio("jacksonSortedTree"), 1.5));
        return aims.toString();
    }

    private double ratio(String peer) {
        return nanos(OnceBench.MIDDLE, peer, 1) / nanos(OnceBench.MIDDLE, "semel", 1);
    }

    private String atMost(String subject, int aim) {
        double nanos = nanos(OnceBench.CALLING, subject, 1);
        return String.format(
                Locale.ROOT,
                "| %s | %.2f µs | at most %d µs | %s |%n",
                plain(subject),
                nanos / 1000,
                aim / 1000,
                nanos <= aim ? "yes" : "**no**");
    }

    private static String atLeast(String what, double times, double aim) {
        return String.format(
                Locale.ROOT,
                "| %s | %.2f × | at least %.1f × | %s |%n",
                what,
                times,
                aim,
                times >= aim ? "yes" : "**no**");
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
        BarChart chart = new BarChart("A call, over the memory store", "nanoseconds per call and thread");
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
