package dev.semel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.outbox.Claims.Claim;
import dev.semel.outbox.LaneRun.Next;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LaneRunTest extends ProcessorFixture {

    /** A sender that stops before it sends an entry must not hide that another one may have sent it. */
    @Test
    void abandonedLane_staysSo_untilItsFirstEntryIsSent() {
        OutboxEntry added = add("a", "lane");
        String lane = EntryId.parse(added.id()).lane();
        Instant sentAt = time.instant();
        try (Claims crashed = new Claims(outbox.entries(), time)) {
            crashed.claim(lane).orElseThrow().abandon();
        }
        time.setClock(sentAt.plusSeconds(60));
        try (Claims stopping = new Claims(outbox.entries(), time)) {
            assertThat(laneRun(stopping).run(lane, () -> false, () -> true)).isEqualTo(Next.SOON);
        }
        try (Claims next = new Claims(outbox.entries(), time)) {
            Claim claim = next.claim(lane).orElseThrow();
            assertThat(claim.abandonedSince()).isEqualTo(sentAt);
        }
    }

    private LaneRun laneRun(Claims claims) {
        Duration timeout = Duration.ofSeconds(10);
        Duration day = Duration.ofDays(1);
        ProcessorSettings settings = new ProcessorSettings(
                api.uri(), null, 1, timeout, Proof.SEMEL, day, day, true, IfExpired.FAIL, null, null);
        OutboxListener listener = OutboxListener.all(List.of());
        Attempts attempts = new Attempts(
                settings,
                new Transport(api.uri(), timeout, time),
                new Tokens(null, timeout),
                new KeyLife(outbox.entries(), day, day),
                new Backoff(new SplittableRandom(1)),
                time,
                listener);
        return new LaneRun(outbox.entries(), claims, attempts, listener, time);
    }
}
