package dev.semel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.outbox.OutboxEntry.Status;
import dev.semel.outbox.TestApi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A rejected or missing token delays entries, and never fails them. */
class TokensTest extends ProcessorFixture {

    private Reply accept(String token, TestApi.Received request) {
        return request.authorization().equals("Bearer " + token) ? api.execute(request) : Reply.of(401);
    }

    @Test
    void rejectedToken_isReplaced_andTheEntryIsSentAgainAtOnce() throws Exception {
        api.respond(request -> accept("t2", request));
        List<String> asked = new CopyOnWriteArrayList<>();
        AtomicInteger count = new AtomicInteger();
        OutboxEntry added = add("a", "lane");
        OutboxEntry next = add("b", "lane");
        start(builder -> builder.token(rejected -> {
            asked.add(String.valueOf(rejected));
            return "t" + count.incrementAndGet();
        }));
        awaitStatus(next, Status.CONFIRMED);
        assertThat(asked).containsExactly("null", "t1");
        assertThat(now(added).retryCount()).isZero();
        assertThat(now(next).status()).isEqualTo(Status.CONFIRMED);
        assertThat(api.requests())
                .extracting(TestApi.Received::key)
                .containsExactly(added.idempotencyKey(), added.idempotencyKey(), next.idempotencyKey());
    }

    @Test
    void tokenThatIsRejectedAgain_isNotSentInALoop() {
        api.respond(request -> Reply.of(401));
        AtomicInteger count = new AtomicInteger();
        OutboxEntry added = add("a", "lane");
        start(builder -> builder.token(rejected -> "t" + count.incrementAndGet()));
        awaitEvents("retry a unauthorized");
        assertThat(api.requests()).hasSize(2);
        api.respond();
        advanceUntil(added, Status.CONFIRMED, Duration.ofMillis(200));
    }

    @Test
    void supplierThatReturnsTheRejectedToken_isNotBelieved() {
        api.respond(request -> Reply.of(401));
        OutboxEntry added = add("a", "lane");
        start(builder -> builder.token(rejected -> "same"));
        awaitRetry(added, 1);
        assertThat(api.requests()).hasSize(1);
    }

    @Test
    void supplierThatThrows_delaysTheEntries() {
        AtomicInteger count = new AtomicInteger();
        OutboxEntry added = add("a", "lane");
        start(builder -> builder.token(rejected -> {
            if (count.incrementAndGet() < 3) {
                throw new IllegalStateException("no login today");
            }
            return "token";
        }));
        awaitRetry(added, 1);
        assertThat(now(added).lastError()).startsWith("unauthorized: ").contains("no login today");
        assertThat(now(added).firstSentAt()).isNull();
        advanceUntil(added, Status.CONFIRMED, Duration.ofMillis(200));
        assertThat(api.requests()).hasSize(1);
    }

    @Test
    void supplierThatHangs_delaysTheEntries_andIsAskedOnce() {
        CountDownLatch hangs = new CountDownLatch(1);
        AtomicInteger count = new AtomicInteger();
        OutboxEntry one = add("a", "lane 1");
        OutboxEntry two = add("b", "lane 2");
        start(builder -> builder.timeout(Duration.ofMillis(200)).token(rejected -> {
            count.incrementAndGet();
            hangs.await();
            return "token";
        }));
        awaitRetry(one, 1);
        awaitRetry(two, 1);
        assertThat(now(one).lastError()).contains("has not returned within");
        assertThat(count).hasValue(1);
        hangs.countDown();
        advanceUntil(one, Status.CONFIRMED, Duration.ofMillis(200));
        advanceUntil(two, Status.CONFIRMED, Duration.ofMillis(200));
        assertThat(count).hasValue(1);
    }

    @Test
    void malformedToken_isNotSent() {
        OutboxEntry added = add("a", "lane");
        start(builder -> builder.token(rejected -> "two\nlines"));
        awaitRetry(added, 1);
        assertThat(now(added).reason()).isEqualTo(Reason.UNAUTHORIZED);
        assertThat(api.requests()).isEmpty();
    }

    @Test
    void apiWithoutATokenSupplier_isTriedAgain() {
        api.respond(Reply.of(401));
        OutboxEntry added = add("a", "lane");
        start();
        awaitEvents("retry a unauthorized");
        advanceUntil(added, Status.CONFIRMED, Duration.ofMillis(200));
    }
}
