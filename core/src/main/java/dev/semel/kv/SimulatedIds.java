package dev.semel.kv;

import dev.semel.id.DayNonceScheme;
import dev.semel.json.Json;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The ids of a simulated day, of which a constant share is in use. An id is live while writers try it, and until everything that they have
 * written is visible. Other ids in use have an old post. When ids become live or free, old posts are removed or added.
 */
final class SimulatedIds {

    private static final Json OLD_POST = Json.of("0");

    private final double occupancy;
    private final long staleness;
    private final SplittableRandom random;
    private final Map<Integer, Space> spaces = new HashMap<>();
    private final PriorityQueue<Entry> leaving = new PriorityQueue<>((a, b) -> Long.compare(a.leavesAt, b.leavesAt));

    SimulatedIds(double occupancy, long staleness, SplittableRandom random) {
        this.occupancy = occupancy;
        this.staleness = staleness;
        this.random = random;
    }

    /** Returns a random id for a writer to try. */
    Entry draw(int letters, long now) {
        for (Entry first = leaving.peek(); first != null && first.leavesAt <= now; first = leaving.peek()) {
            leaving.remove();
            first.space.end(first);
        }
        Entry drawn = spaces.computeIfAbsent(letters, Space::new).draw();
        if (drawn.writers++ == 0) {
            leaving.remove(drawn);
        }
        return drawn;
    }

    /** Ends the attempt of a writer. */
    void leave(Entry entry, long now) {
        if (--entry.writers == 0) {
            entry.leavesAt = Math.max(now, entry.claim.presentUntil(now)) + staleness;
            leaving.add(entry);
        }
    }

    /** An id that writers try, with the values of its claim and its post. */
    static final class Entry {

        final Register claim = new Register();
        final Register post = new Register();
        private final Space space;
        private final int number;
        private final List<Json> reported = new ArrayList<>(1);
        private final List<Json> replaced = new ArrayList<>(0);
        private int writers;
        private long leavesAt;

        Entry(Space space, int number) {
            this.space = space;
            this.number = number;
        }

        /** Returns whether a write replaces a post whose writer has got the id, and remembers which post it replaces. */
        boolean replacesReported(long now) {
            Json current = post.at(now);
            if (current == null) {
                return false;
            }
            replaced.add(current);
            return current.equals(OLD_POST) || reported.contains(current);
        }

        /** Returns whether a post was replaced before its writer got the id. */
        boolean wasReplacedBeforeReport(Json own) {
            reported.add(own);
            return replaced.contains(own);
        }
    }

    /** The value of a key, and its former values. */
    static final class Register {

        private final Deque<Version> versions = new ArrayDeque<>(2);

        private record Version(@Nullable Json value, long from, long until) {}

        void set(@Nullable Json value, long from, long until) {
            versions.addFirst(new Version(value, from, until));
        }

        @Nullable Json at(long moment) {
            for (Version version : versions) {
                if (version.from <= moment) {
                    return moment < version.until ? version.value : null;
                }
            }
            return null;
        }

        long presentUntil(long now) {
            Version last = versions.peekFirst();
            return last == null || last.value == null ? now : last.until;
        }
    }

    /** All ids with the same number of letters. */
    private final class Space {

        private final int size;
        private final double wanted;
        private final Map<Integer, Entry> live = new HashMap<>();
        private final int[] old; // the numbers of ids with an old post, in any order
        private final int[] placeInOld; // by number; -1 for other ids
        private int oldCount;

        Space(int letters) {
            this.size = (int) Math.pow(DayNonceScheme.SAFE_ALPHABET.length(), letters);
            this.wanted = occupancy * size;
            this.old = new int[size];
            this.placeInOld = new int[size];
            int[] numbers = new int[size];
            for (int i = 0; i < size; i++) {
                int other = random.nextInt(i + 1);
                numbers[i] = numbers[other];
                numbers[other] = i;
                placeInOld[i] = -1;
            }
            for (int i = 0; i < (int) wanted; i++) {
                addOld(numbers[i]);
            }
        }

        Entry draw() {
            int number = random.nextInt(size);
            Entry known = live.get(number);
            if (known != null) {
                return known;
            }
            Entry entry = new Entry(this, number);
            live.put(number, entry);
            if (placeInOld[number] >= 0) {
                removeOld(placeInOld[number]);
                entry.post.set(OLD_POST, Long.MIN_VALUE, Long.MAX_VALUE);
            }
            keepConstant();
            return entry;
        }

        void end(Entry entry) {
            live.remove(entry.number);
            if (entry.post.at(Long.MAX_VALUE - 1) != null) {
                addOld(entry.number);
            }
            keepConstant();
        }

        private void keepConstant() {
            int inUse = (int) (wanted + random.nextDouble()); // on average exactly the share
            while (oldCount > 0 && oldCount + live.size() > inUse) {
                removeOld(random.nextInt(oldCount));
            }
            while (oldCount + live.size() < inUse) {
                int number = random.nextInt(size);
                if (placeInOld[number] < 0 && !live.containsKey(number)) {
                    addOld(number);
                }
            }
        }

        private void addOld(int number) {
            placeInOld[number] = oldCount;
            old[oldCount++] = number;
        }

        private void removeOld(int place) {
            placeInOld[old[place]] = -1;
            old[place] = old[--oldCount];
            if (place < oldCount) {
                placeInOld[old[place]] = place;
            }
        }
    }
}
