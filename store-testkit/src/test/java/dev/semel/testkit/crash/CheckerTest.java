package dev.semel.testkit.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.Transactions;
import dev.semel.id.IdSchemes;
import dev.semel.json.Json;
import dev.semel.memory.MemoryStore;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.store.Document;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.Time;
import dev.semel.store.spi.DocumentStore;
import dev.semel.testkit.crash.Acknowledgement.How;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The checker reports every kind of violation. */
class CheckerTest {

    private static final int GROUPS = 3;
    private static final long OPERATIONS = 60;

    private final DocumentStore store = new MemoryStore(Time.system(), 1 << 28);
    private final Transactions transactions = new Transactions(store, Time.system());
    private final Workload workload = new Workload(1, store);
    private final History history = new History();
    private final List<List<EffectFile.Line>> lines = new ArrayList<>();

    @BeforeEach
    void run() {
        Once once = new Once(transactions, Time.system(), OnceSettings.DEFAULTS, OnceListener.NONE);
        for (int group = 0; group < GROUPS; group++) {
            lines.add(new ArrayList<>());
        }
        for (long number = 1; number <= OPERATIONS; number++) {
            int group = (int) (number * GROUPS / (OPERATIONS + 1));
            history.add(
                    group, new Acknowledgement(number, workload.kind(number), How.EXECUTED, call(once, number, group)));
        }
    }

    private String call(Once once, long number, int group) {
        Kind kind = workload.kind(number);
        Outcome outcome = kind == Kind.ATOMIC
                ? once.atomic(workload.call(number), workload.atomic(number))
                : once.leased(workload.call(number), IfAbandoned.valueOf(kind.name()), lease -> {
                    lines.get(group).add(new EffectFile.Line(number, lease.fencingToken()));
                    return Response.of(CrashWorker.leasedResponse(number, lease.fencingToken()));
                });
        return ((Outcome.Executed) outcome).response().text();
    }

    private List<String> check() {
        return new Checker(store, workload, history, OPERATIONS, lines).check();
    }

    private long first(Kind kind) {
        return LongStream.rangeClosed(1, OPERATIONS)
                .filter(number -> workload.kind(number) == kind)
                .findFirst()
                .orElseThrow();
    }

    private String response(long number) {
        return history.of(number).orElseThrow().response();
    }

    private EffectFile.Line line(long number) {
        return lines.stream()
                .flatMap(List::stream)
                .filter(line -> line.number() == number)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void soundStore_passes() {
        Checker checker = new Checker(store, workload, history, OPERATIONS, lines);
        assertThat(checker.check()).isEmpty();
        assertThat(checker.report(1, 0))
                .isEqualTo(new CrashReport(1, 0, OPERATIONS, OPERATIONS, OPERATIONS, OPERATIONS, 0, 0));
    }

    @Test
    void missingEffect_isReported() {
        long number = first(Kind.ATOMIC);
        transactions.run(tx -> Workload.EFFECTS.delete(tx, response(number)));
        assertThat(check())
                .hasSize(2)
                .anyMatch(text -> text.startsWith("operation " + number + " (ATOMIC) is COMPLETED and has 0 effects"))
                .anyMatch(text -> text.startsWith("the count of bucket" + workload.bucket(number)));
    }

    @Test
    void effectTwice_isReported() {
        long number = first(Kind.ATOMIC);
        String suffix = response(number).substring(17);
        transactions.run(
                tx -> Workload.EFFECTS.createMinted(tx, () -> IdSchemes.TID62.mint() + suffix, workload.data(number)));
        assertThat(check()).hasSize(2).anyMatch(text -> text.contains("has 2 effects"));
    }

    @Test
    void effectOfNothing_isReported() {
        transactions.run(
                tx -> Workload.EFFECTS.createMinted(tx, () -> IdSchemes.TID62.mint() + "-0000000061", Json.of("1")));
        assertThat(check()).contains("operation 61 has an effect, but was never requested");
    }

    @Test
    void wrongCount_isReported() {
        transactions.run(tx -> {
            Document counter = Workload.COUNTERS.read(tx, "bucket0").orElseThrow();
            return Workload.COUNTERS.update(
                    tx, "bucket0", counter.version(), Json.of("" + (Workload.count(counter) + 1)));
        });
        assertThat(check()).singleElement().asString().startsWith("the count of bucket0 is ");
    }

    @Test
    void lostRecord_isReported() {
        history.add(2, new Acknowledgement(61, workload.kind(61), How.EXECUTED, "gone"));
        assertThat(new Checker(store, workload, history, 61, lines).check())
                .containsExactly("operation 61 (" + workload.kind(61) + ") was acknowledged, but has no record");
    }

    @Test
    void missingAcknowledgement_isReported() {
        assertThat(new Checker(store, workload, history, 61, lines).check())
                .singleElement()
                .asString()
                .contains("operation 61", "was not acknowledged");
    }

    @Test
    void anotherResponse_isReported() {
        long number = first(Kind.RERUN);
        history.add(2, new Acknowledgement(number, Kind.RERUN, How.REPLAYED, "another"));
        assertThat(check()).singleElement().asString().contains("and later \"another\"");
    }

    @Test
    void secondExecution_isReported() {
        long number = first(Kind.ATOMIC);
        history.add(2, new Acknowledgement(number, Kind.ATOMIC, How.EXECUTED, response(number)));
        assertThat(check()).singleElement().asString().contains("was executed after it had been acknowledged");
    }

    @Test
    void runOfAFrozenOperation_isReported() {
        long number = first(Kind.FREEZE);
        lines.get(0).add(new EffectFile.Line(number, line(number).fencingToken() - 1_000_000));
        assertThat(check())
                .contains("operation " + number + " (FREEZE) has its effect 2 times, but must run at most once");
    }

    @Test
    void responseOfALowerFencingToken_isReported() {
        long number = first(Kind.RERUN);
        long higher = line(number).fencingToken() + 1;
        lines.get(2).add(new EffectFile.Line(number, higher));
        assertThat(check())
                .hasSize(2)
                .anyMatch(text -> text.contains("but the highest fencing token in the file is " + higher))
                .anyMatch(text -> text.contains("but ran with " + higher));
    }

    @Test
    void missingLine_isReported() {
        long number = first(Kind.RERUN);
        EffectFile.Line line = line(number);
        lines.forEach(group -> group.remove(line));
        assertThat(check()).containsExactly("operation " + number + " (RERUN) is completed, but has no effect");
    }

    @Test
    void fencingTokenGivenTwice_isReported() {
        EffectFile.Line line = line(first(Kind.RERUN));
        lines.get(0).add(line);
        assertThat(check())
                .contains("the fencing token " + line.fencingToken() + " of operation " + line.number()
                        + " was issued twice");
    }

    @Test
    void fencingTokensThatGoBackAfterAKill_areReported() {
        EffectFile.Line line = line(first(Kind.RERUN));
        long lower = line.fencingToken() - 1;
        lines.get(GROUPS - 1).add(new EffectFile.Line(line.number(), lower));
        assertThat(check())
                .containsExactly("operation " + line.number() + " got the fencing token " + lower
                        + " after a kill, and " + line.fencingToken() + " before it");
    }

    /** Tokens are not comparable across keys. */
    @Test
    void fencingTokensOfOtherOperations_mayBeTheSame() {
        EffectFile.Line line = line(first(Kind.RERUN));
        long other = LongStream.rangeClosed(line.number() + 1, OPERATIONS)
                .filter(number -> workload.kind(number) == Kind.RERUN)
                .findFirst()
                .orElseThrow();
        int group = (int) (other * GROUPS / (OPERATIONS + 1));
        lines.get(group).add(0, new EffectFile.Line(other, line.fencingToken()));
        assertThat(check()).isEmpty();
    }

    @Test
    void secondExecutionInTheSameGroup_isReported() {
        history.add(
                GROUPS - 1,
                new Acknowledgement(OPERATIONS, workload.kind(OPERATIONS), How.EXECUTED, response(OPERATIONS)));
        assertThat(check())
                .containsExactly("operation " + OPERATIONS + " (" + workload.kind(OPERATIONS) + ") was executed twice");
    }

    @Test
    void execution_mayBeAcknowledgedAfterItsReplay_inTheSameGroup() {
        History heard = new History();
        heard.add(0, new Acknowledgement(1, Kind.ATOMIC, How.REPLAYED, "a"));
        heard.add(0, new Acknowledgement(1, Kind.ATOMIC, How.EXECUTED, "a"));
        assertThat(heard.contradictions()).isEmpty();
        heard.add(0, new Acknowledgement(2, Kind.ATOMIC, How.REPLAYED, "b"));
        heard.add(1, new Acknowledgement(2, Kind.ATOMIC, How.EXECUTED, "b"));
        assertThat(heard.contradictions())
                .containsExactly("operation 2 (ATOMIC) was executed after it had been acknowledged");
    }

    @Test
    void effectThatIsNotFoundByItsNumber_isReported() {
        long number = first(Kind.ATOMIC);
        Document effect = Workload.EFFECTS.read(store, response(number)).orElseThrow();
        transactions.run(tx -> Workload.EFFECTS.delete(tx, effect.key()));
        transactions.run(tx -> {
            tx.expectAbsent(effect.id());
            return tx.put(effect, List.of());
        });
        assertThat(check())
                .containsExactly("the effect " + response(number) + " is found by its key, but not by its number");
    }
}
