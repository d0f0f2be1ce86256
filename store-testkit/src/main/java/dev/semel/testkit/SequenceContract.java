package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.document.DocumentCollection;
import dev.semel.document.StoredSequence;
import dev.semel.document.Transactions;
import dev.semel.id.IdScheme.ExhaustedException;
import dev.semel.id.IdSchemes;
import dev.semel.id.MalformedException;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Persistent counters: without gaps, or allocated in blocks. */
public interface SequenceContract extends DocumentFixture {

    @Test
    default void numbersTakenInTransactions_haveNoGaps_evenIfSomeAreNotCommitted() {
        StoredSequence orders = StoredSequence.named("orders");
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ids.add(transactions()
                    .run(tx -> IdSchemes.SEQ10.drawingFrom(orders.in(tx)).mint()));
            assertThatThrownBy(() -> transactions().run(tx -> {
                        long taken = orders.in(tx).getAsLong();
                        throw new IllegalStateException("gives back " + taken);
                    }))
                    .isInstanceOf(IllegalStateException.class);
        }
        assertThat(ids).containsExactly("0000000001", "0000000002", "0000000003", "0000000004", "0000000005");
    }

    @Test
    default void oneTransaction_mayTakeSeveralNumbers() {
        StoredSequence orders = StoredSequence.named("orders");
        assertThat(transactions().<List<Long>, RuntimeException>run(tx -> {
                    LongSupplier numbers = orders.in(tx);
                    return List.of(numbers.getAsLong(), numbers.getAsLong(), numbers.getAsLong());
                }))
                .containsExactly(1L, 2L, 3L);
        assertThat(transactions()
                        .<Long, RuntimeException>run(tx -> orders.in(tx).getAsLong()))
                .isEqualTo(4);
    }

    @Test
    default void blocks_areNeverAllocatedTwice() throws Exception {
        StoredSequence orders = StoredSequence.named("orders");
        // With ControlledTime a retry would not pause, and could lose every race.
        Transactions racing = new Transactions(documents(), Time.system());
        List<LongSupplier> processes = List.of(orders.inBlocks(racing, 10), orders.inBlocks(racing, 7));
        Set<Long> drawn = ConcurrentHashMap.newKeySet();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<?>> drawing = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                LongSupplier sequence = processes.get(i % 2);
                drawing.add(threads.submit(() -> {
                    for (int j = 0; j < 100; j++) {
                        assertThat(drawn.add(sequence.getAsLong())).isTrue();
                    }
                }));
            }
            for (Future<?> future : drawing) {
                future.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(drawn).hasSize(800);
        assertThat(drawn.stream().mapToLong(Long::longValue).max().orElseThrow())
                .isLessThanOrEqualTo(816);
    }

    @Test
    default void blockWhoseResponseIsLost_isNotSkipped() {
        FaultyStore faulty = new FaultyStore(store());
        LongSupplier numbers = StoredSequence.named("orders").inBlocks(new Transactions(faulty, time()), 5);
        Set<Long> drawn = LongStream.rangeClosed(1, 20)
                .map(i -> {
                    faulty.loseResponses(1);
                    return numbers.getAsLong();
                })
                .boxed()
                .collect(Collectors.toSet());
        assertThat(drawn).isEqualTo(LongStream.rangeClosed(1, 20).boxed().collect(Collectors.toSet()));
    }

    @Test
    default void failedAllocation_returnsNoNumberTwice() {
        FaultyStore faulty = new FaultyStore(store());
        LongSupplier numbers = StoredSequence.named("orders").inBlocks(new Transactions(faulty, time()), 2);
        assertThat(List.of(numbers.getAsLong(), numbers.getAsLong())).containsExactly(1L, 2L);
        faulty.goDown();
        assertThatThrownBy(numbers::getAsLong).isInstanceOf(StoreException.class);
        faulty.comeUp();
        assertThat(List.of(numbers.getAsLong(), numbers.getAsLong())).containsExactly(3L, 4L);
    }

    @Test
    default void sequenceWithoutNumbersLeft_throws() {
        transactions()
                .run(tx -> DocumentCollection.of("semel.sequences", KeyTemplate.of("{name}"))
                        .create(tx, "orders", Json.of(Long.toString(Long.MAX_VALUE - 1))));
        StoredSequence orders = StoredSequence.named("orders");
        assertThat(transactions()
                        .<Long, RuntimeException>run(tx -> orders.in(tx).getAsLong()))
                .isEqualTo(Long.MAX_VALUE);
        assertThatThrownBy(() -> transactions().run(tx -> orders.in(tx).getAsLong()))
                .hasMessage("The sequence orders has no numbers left");
    }

    @Test
    default void exhaustedScheme_throws_andTakesNoNumber() {
        StoredSequence orders = StoredSequence.named("orders");
        transactions().run(tx -> {
            DocumentCollection.of("semel.sequences", KeyTemplate.of("{name}"))
                    .create(tx, "orders", Json.of("9999999998"));
            return 0;
        });
        assertThat(transactions()
                        .<String, RuntimeException>run(
                                tx -> IdSchemes.SEQ10.drawingFrom(orders.in(tx)).mint()))
                .isEqualTo("9999999999");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> transactions()
                            .run(tx ->
                                    IdSchemes.SEQ10.drawingFrom(orders.in(tx)).mint()))
                    .isInstanceOf(ExhaustedException.class)
                    .hasMessageContaining("seq10 has no id for number 10000000000");
        }
    }

    @Test
    default void sequencesOfDifferentNames_areIndependent() {
        transactions().run(tx -> StoredSequence.named("a").in(tx).getAsLong());
        assertThat(transactions()
                        .<Long, RuntimeException>run(
                                tx -> StoredSequence.named("b").in(tx).getAsLong()))
                .isEqualTo(1);
        assertThatThrownBy(() -> StoredSequence.named("no name")).isInstanceOf(MalformedException.class);
    }
}
