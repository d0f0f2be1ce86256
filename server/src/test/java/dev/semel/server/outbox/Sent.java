package dev.semel.server.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.client.Attempt;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a proxy has seen of posts whose texts end with lane and number, as {@link OutboxWorker} adds them. */
final class Sent {

    private final List<Attempt> attempts;

    Sent(List<Attempt> attempts) {
        this.attempts = attempts.stream()
                .sorted(Comparator.comparingLong(Attempt::startedNanos))
                .toList();
    }

    void assertOneKeyForEach(int entries) {
        Map<String, String> keys = new HashMap<>();
        for (Attempt attempt : attempts) {
            String key = keys.putIfAbsent(attempt.request(), attempt.key());
            assertThat(attempt.key()).isEqualTo(key == null ? attempt.key() : key);
        }
        assertThat(keys).hasSize(entries);
        assertThat(new HashSet<>(keys.values())).hasSize(entries);
    }

    /** The attempts of a lane are in order, and none starts before the one before has ended. */
    void assertLanesInOrder() {
        Map<String, Attempt> last = new HashMap<>();
        for (Attempt attempt : attempts) {
            Attempt before = last.put(lane(attempt), attempt);
            if (before != null) {
                assertThat(attempt.startedNanos())
                        .as(() -> attempt + " starts when this has ended: " + before)
                        .isGreaterThanOrEqualTo(before.endedNanos());
                assertThat(number(attempt))
                        .as(() -> attempt + " follows " + before)
                        .isBetween(number(before), number(before) + 1);
            }
        }
    }

    /** Returns how many attempts started before an earlier one of their lane had ended, or after a later entry. */
    long stale() {
        Map<String, Attempt> last = new HashMap<>();
        long stale = 0;
        for (Attempt attempt : attempts) {
            Attempt before = last.get(lane(attempt));
            boolean isStale = before != null
                    && (attempt.startedNanos() < before.endedNanos() || number(attempt) < number(before));
            stale += isStale ? 1 : 0;
            if (!isStale) {
                last.put(lane(attempt), attempt);
            }
        }
        return stale;
    }

    /** Returns how many attempts got no whole response. */
    long lost() {
        return attempts.stream().filter(attempt -> attempt.clientStatus() == 0).count();
    }

    /** Returns the tokens of all attempts. Each process has its own one. */
    Set<String> tokens() {
        Set<String> tokens = new HashSet<>();
        attempts.forEach(attempt -> tokens.add(attempt.authorization()));
        return tokens;
    }

    private static String lane(Attempt attempt) {
        return attempt.request().split("/", -1)[4];
    }

    private static int number(Attempt attempt) {
        return Integer.parseInt(attempt.request().split("/", -1)[5].replace("\"}", ""));
    }

    static void assertEffectsOnceAndInOrder(List<String> texts, int entries, int lanes) {
        assertThat(texts).hasSize(entries).doesNotHaveDuplicates();
        Map<String, Integer> next = new HashMap<>();
        for (String text : texts) {
            String[] parts = text.split("/", -1);
            assertThat(Integer.parseInt(parts[2]))
                    .as("number of the next effect in " + parts[1])
                    .isEqualTo(next.merge(parts[1], 1, Integer::sum) - 1);
        }
        assertThat(next).hasSize(lanes);
    }
}
