package dev.semel.kv;

import dev.semel.json.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Explores every interleaving of writers that allocate the same id, in discrete time, and looks for one in which a post is overwritten. The
 * writers are {@link KvAttempt}s: the model supplies the store and the time.
 *
 * <p>At each moment, a writer's step can be applied to the store, a writer can receive the result of its step, or the time can advance by
 * one. A step may take any time, and a writer may never receive the result, as if it had crashed. Two things are bounded: a read returns a
 * value that was current within the staleness, and a write is applied within a given delay after it was sent. The TTL of a claim counts from
 * the moment when it was sent.
 *
 * <p>Where it makes no difference to the other writers, a step is applied and its result is received in one action.
 *
 * <p>States are compared by ages instead of times, so there are finitely many, and all are visited. The search is breadth-first, so the
 * trace of an overwrite is a shortest one.
 */
final class KvModel {

    /** The staleness of a store whose reads return the current value. With a staleness of 0, a read also sees what was replaced just then. */
    static final int CONSISTENT = -1;

    private static final int MOST_STATES = 1 << 25;
    private static final List<KvStep> STEPS = List.of(KvStep.values());
    private static final int NEVER = 3; // as the age of a value that is not visible
    private static final Json[] CLAIMS = {
        null, Json.of("\"claim of A\""), Json.of("\"claim of B\""), Json.of("\"claim of C\"")
    };
    private static final Json[] POSTS = {
        null, Json.of("\"post of A\""), Json.of("\"post of B\""), Json.of("\"post of C\"")
    };

    private final KvProtocol protocol;
    private final int writers;
    private final int staleness;
    private final int delay;
    private final int claimTtl;

    private long[] first = new long[1 << 16];
    private long[] second = new long[1 << 16];
    private int[] parents = new int[1 << 16];
    private byte[] actions = new byte[1 << 16];
    private int[] table = new int[1 << 18];
    private int count;
    private int allocated;
    private int found = -1;
    private String finding = "";

    /** @param delay within which a write is applied after it was sent, if at all */
    KvModel(KvProtocol protocol, int writers, int delay, int staleness) {
        if (writers > 3 || staleness >= NEVER || protocol.claimTtl() > 30) {
            throw new IllegalArgumentException("The states of this model are too small");
        }
        this.protocol = protocol;
        this.writers = writers;
        this.delay = delay;
        this.staleness = staleness;
        this.claimTtl = (int) protocol.claimTtl();
    }

    /** Returns the shortest trace that overwrites a post; empty if there is none. */
    Optional<String> findOverwrite() {
        return find(false);
    }

    /** Returns the shortest trace by which two writers get the id; empty if there is none. */
    Optional<String> findTwoWinners() {
        return find(true);
    }

    private Optional<String> find(boolean twoWinners) {
        Arrays.fill(table, -1);
        add(new State(), -1, 0);
        for (int i = 0; i < count && found < 0; i++) {
            expand(i, twoWinners);
        }
        return found < 0 ? Optional.empty() : Optional.of(trace());
    }

    /** Returns the number of states that were visited. */
    int states() {
        return count;
    }

    /** Returns the number of states in which a writer has the id. */
    int statesWithPost() {
        return allocated;
    }

    /** A writer and the step that it is taking. */
    private static final class Writer {
        KvAttempt attempt;
        boolean applied;
        int read;
        int sentAge;

        Writer(KvAttempt attempt) {
            this.attempt = attempt;
        }
    }

    /** A key: its current value, and how long ago each other value was replaced. A value is the number of its writer, or 0 for none. */
    private final class Register {
        int current;
        int expiresIn;
        final int[] ages = {NEVER, NEVER, NEVER, NEVER};

        void set(int value) {
            ages[current] = 0;
            ages[value] = NEVER;
            current = value;
        }

        void tick() {
            for (int i = 0; i < ages.length; i++) {
                ages[i] = ages[i] >= staleness ? NEVER : ages[i] + 1;
            }
            if (expiresIn > 0 && --expiresIn == 0 && current != 0) {
                set(0);
            }
        }

        boolean isVisible(int value) {
            return value == current || ages[value] <= staleness;
        }

        long pack() {
            return current | expiresIn << 2 | ages[0] << 7 | ages[1] << 9 | ages[2] << 11 | ages[3] << 13;
        }

        void unpack(long bits) {
            current = (int) bits & 3;
            expiresIn = (int) (bits >> 2) & 31;
            for (int i = 0; i < ages.length; i++) {
                ages[i] = (int) (bits >> (7 + 2 * i)) & 3;
            }
        }
    }

    private final class State {
        final Writer[] all = new Writer[writers];
        final Register claim = new Register();
        final Register post = new Register();

        State() {
            for (int i = 0; i < writers; i++) {
                all[i] = new Writer(KvAttempt.start(protocol, CLAIMS[i + 1], POSTS[i + 1], 0));
            }
        }

        State(long first, long second) {
            for (int i = 0; i < writers; i++) {
                int bits = (int) ((i < 2 ? first >> (32 * i) : second >> 32) & 0xFFFFFFFFL);
                KvStep step = STEPS.get(bits & 15);
                all[i] = new Writer(new KvAttempt(
                        protocol, CLAIMS[i + 1], POSTS[i + 1], step, -(bits >> 7 & 31), -(bits >> 12 & 63)));
                all[i].applied = (bits >> 4 & 1) == 1;
                all[i].read = bits >> 5 & 3;
                all[i].sentAge = bits >> 18 & 31;
            }
            claim.unpack(second & 0x7FFF);
            post.unpack(second >> 15 & 0x7FFF);
        }

        long firstLong() {
            return pack(0) | (writers > 1 ? pack(1) << 32 : 0);
        }

        long secondLong() {
            return claim.pack() | post.pack() << 15 | (writers > 2 ? pack(2) << 32 : 0);
        }

        /** Returns a writer without the times on which its next steps do not depend. */
        private long pack(int i) {
            Writer writer = all[i];
            KvStep step = writer.attempt.step();
            if (step.isResult()) {
                return STEPS.indexOf(step);
            }
            boolean bounded = protocol.bounded();
            long readAge = bounded && step.compareTo(KvStep.READ_CLAIM) >= 0 ? -writer.attempt.readAt() : 0;
            boolean settling = step.compareTo(KvStep.SETTLE) >= 0 && step.compareTo(KvStep.READ_POST) <= 0;
            long claimedAge = bounded && settling ? -writer.attempt.claimedAt() : 0;
            boolean timed = (!writer.applied && (step == KvStep.WRITE_CLAIM || step == KvStep.WRITE_POST))
                    || step == KvStep.AWAIT_VISIBILITY;
            return STEPS.indexOf(step)
                    | (writer.applied ? 16 : 0)
                    | (long) writer.read << 5
                    | Math.min(readAge, claimTtl) << 7
                    | Math.min(claimedAge, protocol.settle() + protocol.gap() + 1) << 12
                    | (long) (timed ? Math.min(writer.sentAge, claimTtl) : 0) << 18;
        }

        /** Advances the time, unless a write has to be applied before. */
        boolean tick() {
            for (Writer writer : all) {
                boolean writes =
                        writer.attempt.step() == KvStep.WRITE_POST || writer.attempt.step() == KvStep.WRITE_CLAIM;
                if (writes && !writer.applied && writer.sentAge >= delay) {
                    return false;
                }
            }
            for (Writer writer : all) {
                KvAttempt old = writer.attempt;
                writer.attempt = new KvAttempt(
                        protocol, old.claim(), old.post(), old.step(), old.readAt() - 1, old.claimedAt() - 1);
                writer.sentAge++;
            }
            claim.tick();
            post.tick();
            return true;
        }

        /** Applies the step of a writer to the store. Returns false if a post was overwritten. */
        boolean apply(int i, int read) {
            Writer writer = all[i];
            writer.applied = true;
            writer.read = read;
            switch (writer.attempt.step()) {
                case WRITE_CLAIM -> {
                    claim.set(i + 1);
                    claim.expiresIn = claimTtl - writer.sentAge;
                    if (claim.expiresIn <= 0) {
                        claim.expiresIn = 0;
                        claim.set(0);
                    }
                }
                case WRITE_POST -> {
                    boolean overwrites = post.current != 0;
                    post.set(i + 1);
                    return !overwrites;
                }
                case DELETE_CLAIM -> claim.set(0);
                default -> {}
            }
            return true;
        }

        /** Passes the result to its writer, unless it matters when the writer receives it. */
        void respondAtOnce(int i) {
            KvStep step = all[i].attempt.step();
            if (!protocol.bounded() || (step != KvStep.WRITE_CLAIM && step != KvStep.READ_POST)) {
                respond(i);
            }
        }

        /** Passes the result of a step to its writer. */
        void respond(int i) {
            Writer writer = all[i];
            KvStep step = writer.attempt.step();
            Json[] values = register(step) == claim ? CLAIMS : POSTS;
            writer.attempt = writer.attempt.after(values[writer.read], 0);
            writer.applied = false;
            writer.read = 0;
            writer.sentAge = 0;
        }

        long winners() {
            return Arrays.stream(all)
                    .filter(writer -> writer.attempt.step() == KvStep.ALLOCATED)
                    .count();
        }

        Register register(KvStep step) {
            return switch (step) {
                case READ_CLAIM, VERIFY_CLAIM, WRITE_CLAIM, DELETE_CLAIM -> claim;
                default -> post;
            };
        }
    }

    private static boolean reads(KvStep step) {
        return switch (step) {
            case LOOK_FOR_POST, READ_CLAIM, VERIFY_CLAIM, READ_POST, VERIFY_POST -> true;
            default -> false;
        };
    }

    private void expand(int from, boolean twoWinners) {
        State ticked = state(from);
        if (ticked.tick()) {
            add(ticked, from, 0);
        }
        for (int i = 0; i < writers; i++) {
            State state = state(from);
            Writer writer = state.all[i];
            KvStep step = writer.attempt.step();
            if (step.isResult()) {
                continue;
            }
            boolean waits = step == KvStep.SETTLE || step == KvStep.AWAIT_VISIBILITY;
            if (writer.applied || waits) {
                long left = step == KvStep.SETTLE
                        ? writer.attempt.settlesFor(0)
                        : step == KvStep.AWAIT_VISIBILITY ? protocol.visible() - writer.sentAge : 0;
                if (left <= 0) {
                    state.respond(i);
                    add(state, from, action(i, 1, 0));
                }
            } else if (reads(step)) {
                for (int value = 0; value <= writers; value++) {
                    if (state.register(step).isVisible(value)) {
                        State next = state(from);
                        next.apply(i, value);
                        next.respondAtOnce(i);
                        add(next, from, action(i, 2, value));
                    }
                }
            } else {
                boolean fine = state.apply(i, 0);
                state.respondAtOnce(i);
                add(state, from, action(i, 2, 0));
                if (found < 0 && (twoWinners ? state.winners() > 1 : !fine)) {
                    found = index(state);
                    finding = twoWinners ? "two writers have the id" : name(i) + " has overwritten a post";
                }
            }
        }
    }

    private static int action(int writer, int kind, int value) {
        return writer << 4 | kind << 2 | value;
    }

    private State state(int i) {
        return new State(first[i], second[i]);
    }

    private void add(State state, int parent, int action) {
        long a = state.firstLong();
        long b = state.secondLong();
        int slot = slot(a, b);
        if (table[slot] >= 0) {
            return;
        }
        if (count == first.length) {
            first = Arrays.copyOf(first, 2 * count);
            second = Arrays.copyOf(second, 2 * count);
            parents = Arrays.copyOf(parents, 2 * count);
            actions = Arrays.copyOf(actions, 2 * count);
            if (count >= MOST_STATES) {
                throw new IllegalStateException("More than " + MOST_STATES + " states");
            }
        }
        first[count] = a;
        second[count] = b;
        parents[count] = parent;
        actions[count] = (byte) action;
        table[slot] = count++;
        allocated += state.winners() > 0 ? 1 : 0;
        if (count * 3L > table.length * 2L) {
            table = new int[table.length * 2];
            Arrays.fill(table, -1);
            for (int i = 0; i < count; i++) {
                table[slot(first[i], second[i])] = i;
            }
        }
    }

    private int index(State state) {
        return table[slot(state.firstLong(), state.secondLong())];
    }

    private int slot(long a, long b) {
        long hash = (a * 0x9E3779B97F4A7C15L ^ b) * 0xD6E8FEB86659FD93L;
        int slot = (int) (hash >>> 32) & (table.length - 1);
        while (table[slot] >= 0 && (first[table[slot]] != a || second[table[slot]] != b)) {
            slot = (slot + 1) & (table.length - 1);
        }
        return slot;
    }

    private String trace() {
        List<Integer> path = new ArrayList<>();
        for (int i = found; i >= 0; i = parents[i]) {
            path.add(0, i);
        }
        StringBuilder text = new StringBuilder();
        int now = 0;
        for (int k = 1; k < path.size(); k++) {
            int action = actions[path.get(k)];
            int writer = action >> 4;
            int kind = action >> 2 & 3;
            if (kind == 0) {
                now++;
                continue;
            }
            KvStep before = state(path.get(k - 1)).all[writer].attempt.step();
            KvStep after = state(path.get(k)).all[writer].attempt.step();
            if (kind == 2) {
                String value =
                        !reads(before) ? "" : (action & 3) == 0 ? ": none" : ": that of " + name((action & 3) - 1);
                text.append(String.format("%2d  %s  %s%s%n", now, name(writer), words(before), value));
            }
            if (after.isResult()) {
                text.append(String.format("%2d  %s  has %s%n", now, name(writer), words(after)));
            }
        }
        return text.append("    ")
                .append(finding)
                .append(System.lineSeparator())
                .toString();
    }

    private static String name(int writer) {
        return String.valueOf((char) ('A' + writer));
    }

    private static String words(KvStep step) {
        return step.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
