package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.document.Transactions;
import dev.semel.json.Json;
import dev.semel.memory.MemoryStore;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.Outcome;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.Time;
import dev.semel.store.spi.DocumentStore;
import dev.semel.testkit.StoreFixture.Mode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jetbrains.lincheck.Lincheck;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Two concurrent calls of the same key, in several interleavings of their steps. A model checker runs one thread at a time, and decides
 * at every access to shared memory which thread continues.
 *
 * <h2>Limits of the model checker</h2>
 *
 * <ul>
 *   <li>It treats a loop of more than ten rounds as waiting, and then <em>silently tries no interleavings</em>. So the store has few
 *       locks, and {@link #met} checks that there were interleavings.
 *   <li>It detects {@code join} only on a variable of type {@link Thread}, and hangs otherwise.
 *   <li>It does not support byte arrays viewed as numbers, which random ids use. So commit ids are counted.
 *   <li>After each interleaving it resets all memory that it saw being written, except inside the JDK.
 *   <li>It ignores exceptions of all threads but the first.
 * </ul>
 */
class EngineModelTest {

    /** Each takes up to 0.1 s. Known bugs are found within about twenty. */
    private static final int ATOMIC_WAYS = TestSize.of(20, 60);

    private static final int LEASED_WAYS = TestSize.of(50, 200);
    private static final int LOCKS = 4;
    private static final String BROKEN = "Violated: ";
    private static final Call CALL = StoreFixture.call("k");
    private static final Document FIRST = effect("first");
    private static final Document SECOND = effect("second");
    private static final Document RETRY = effect("retry");

    /** The outcomes, a line for each interleaving. */
    private final StringBuilder endings = new StringBuilder();

    /** A clock that advances in steps. It never runs scheduled tasks, because no call waits. */
    private static final class SteppedTime implements Time {

        private volatile Instant now = Instant.EPOCH;

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public Runnable after(Duration delay, Runnable task) {
            return () -> {};
        }
    }

    /** A store with the counters of one interleaving. */
    private static final class World {

        final Mode mode;
        final Duration firstRun;
        final SteppedTime time = new SteppedTime();
        final DocumentStore store;
        final AtomicInteger commits = new AtomicInteger();
        final AtomicInteger runs = new AtomicInteger();

        World(UnaryOperator<DocumentStore> wrapping, Mode mode, Duration firstRun) {
            this.mode = mode;
            this.firstRun = firstRun;
            this.store = wrapping.apply(new MemoryStore(time, 1 << 20, LOCKS));
        }

        Once newServer() {
            Transactions transactions = new Transactions(store, time, () -> "commit " + commits.incrementAndGet());
            return new Once(transactions, time, StoreFixture.SETTINGS, OnceListener.NONE);
        }

        int effects() {
            return mode == Mode.LEASED ? runs.get() : count(FIRST) + count(SECOND) + count(RETRY);
        }

        private int count(Document effect) {
            return store.read(effect.id()).isPresent() ? 1 : 0;
        }
    }

    /** Makes one call, and keeps its outcome. */
    private static final class Caller implements Runnable {

        private final World world;
        private final Once server;
        private final Document effect;
        private @Nullable Outcome outcome;

        Caller(World world, Once server, Document effect) {
            this.world = world;
            this.server = server;
            this.effect = effect;
        }

        @Override
        public void run() {
            outcome = call();
        }

        Outcome call() {
            if (world.mode == Mode.ATOMIC) {
                return server.atomic(CALL, tx -> {
                    tx.expectAbsent(effect.id());
                    tx.put(effect, List.of());
                    return Response.of(effect.key());
                });
            }
            return server.leased(CALL, IfAbandoned.RERUN, lease -> {
                world.runs.incrementAndGet();
                if (effect.equals(FIRST)) {
                    world.time.now = world.time.now.plus(world.firstRun);
                }
                return Response.of(effect.key());
            });
        }

        String ending() {
            return outcome == null ? "Nothing" : outcome.getClass().getSimpleName();
        }
    }

    private static Document effect(String name) {
        DocumentId id = new DocumentId("effects", "", name);
        return new Document(id, 1, Instant.EPOCH, Instant.EPOCH, null, Json.of("1"), "", 0);
    }

    /** Checks that each call gets the recorded response or is in progress, and returns the outcomes. */
    private static String race(World world, boolean sameServer) {
        Once server = world.newServer();
        Caller first = new Caller(world, server, FIRST);
        Caller second = new Caller(world, sameServer ? server : world.newServer(), SECOND);
        Thread one = new Thread(first);
        Thread other = new Thread(second);
        one.start();
        other.start();
        try {
            one.join();
            other.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        Outcome retry = new Caller(world, server, RETRY).call();
        require(retry instanceof Outcome.Replayed, "a retry is replayed");
        Response recorded = ((Outcome.Replayed) retry).response();
        int executed = requireResponse(first, recorded) + requireResponse(second, recorded);
        require(executed == 1, "one is executed, and not " + executed);
        return first.ending() + " " + second.ending();
    }

    /** Checks the response of a call, and returns 1 if the call was executed. */
    private static int requireResponse(Caller caller, Response recorded) {
        if (caller.outcome instanceof Outcome.Executed executed) {
            require(executed.response().equals(recorded), "what was executed is recorded");
            return 1;
        }
        if (caller.outcome instanceof Outcome.Replayed replayed) {
            require(replayed.response().equals(recorded), "all get the same response");
            return 0;
        }
        require(caller.outcome instanceof Outcome.InProgress, "no caller gets " + caller.ending());
        return 0;
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(BROKEN + what);
        }
    }

    /**
     * Runs two callers in many interleavings. The model checker reports a hang after half a minute, which a busy machine may need to
     * prepare the classes. A real hang happens again.
     */
    private static void explore(int ways, Runnable meeting) {
        for (int tries = 1; ; tries++) {
            try {
                Lincheck.runConcurrentTest(ways, meeting);
                return;
            } catch (AssertionError e) {
                if (tries == 3 || !String.valueOf(e.getMessage()).contains("has hung")) {
                    throw e;
                }
            }
        }
    }

    private void checkOneEffect(UnaryOperator<DocumentStore> wrapping, Mode mode, boolean sameServer) {
        explore(mode == Mode.ATOMIC ? ATOMIC_WAYS : LEASED_WAYS, () -> {
            World world = new World(wrapping, mode, Duration.ZERO);
            String ending = race(world, sameServer);
            require(world.effects() == 1, "there is one effect, and not " + world.effects());
            endings.append(ending).append('\n');
        });
    }

    /** The first call takes longer than its lease, so the second may take over. Only one response is recorded. */
    private void checkOneResponse(UnaryOperator<DocumentStore> wrapping) {
        explore(LEASED_WAYS, () -> {
            World world = new World(
                    wrapping, Mode.LEASED, StoreFixture.SETTINGS.lease().plusSeconds(1));
            String ending = race(world, false);
            endings.append(ending).append(" in ").append(world.runs.get()).append('\n');
        });
    }

    private Set<String> met() {
        return endings.toString().lines().collect(Collectors.toSet());
    }

    @Test
    void atomicCallersOnOneServer_haveOneEffect() {
        checkOneEffect(store -> store, Mode.ATOMIC, true);
        assertThat(met())
                .contains("Executed Replayed", "Executed InProgress", "Replayed Executed", "InProgress Executed");
    }

    @Test
    void atomicCallersOnTwoServers_haveOneEffect() {
        checkOneEffect(store -> store, Mode.ATOMIC, false);
        assertThat(met()).contains("Executed Replayed", "Replayed Executed");
    }

    @Test
    void leasedCallersOnOneServer_runOnce() {
        checkOneEffect(store -> store, Mode.LEASED, true);
        assertThat(met())
                .contains("Executed Replayed", "Executed InProgress", "Replayed Executed", "InProgress Executed");
    }

    @Test
    void leasedCallersOnTwoServers_runOnce() {
        checkOneEffect(store -> store, Mode.LEASED, false);
        assertThat(met())
                .contains("Executed Replayed", "Executed InProgress", "Replayed Executed", "InProgress Executed");
    }

    @Test
    void lateOwnerAndNewOwner_recordOneResponse() {
        checkOneResponse(store -> store);
        assertThat(met()).contains("Executed Replayed in 1", "Replayed Executed in 1", "Replayed Executed in 2");
    }

    @Test
    void storeThatReadsAndThenWrites_isRejected_whenAtomic() {
        assertThatThrownBy(() -> checkOneEffect(BrokenStore::thatReadsAndThenWrites, Mode.ATOMIC, false))
                .hasMessageContaining(BROKEN);
    }

    @Test
    void storeThatReadsAndThenWrites_isRejected_whenLeased() {
        assertThatThrownBy(() -> checkOneEffect(BrokenStore::thatReadsAndThenWrites, Mode.LEASED, false))
                .hasMessageContaining(BROKEN);
    }

    @Test
    void storeWithoutFencing_isRejected() {
        assertThatThrownBy(() -> checkOneResponse(BrokenStore::withoutFencing)).hasMessageContaining(BROKEN);
    }
}
