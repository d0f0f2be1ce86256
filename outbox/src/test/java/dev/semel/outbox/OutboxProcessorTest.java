package dev.semel.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.semel.json.Json;
import dev.semel.outbox.OutboxEntry.Status;
import dev.semel.outbox.TestApi.Reply;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.testkit.Eventually;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OutboxProcessorTest extends ProcessorFixture {

    @Test
    void entries_areSentInTheOrderOfTheirLane() throws Exception {
        int lanes = 20;
        int perLane = 50;
        for (int i = 0; i < lanes * perLane; i++) {
            add("t" + i, "lane-" + i % lanes);
        }
        assertThat(drain(start())).isTrue();
        List<String> effects = api.effects();
        assertThat(effects).hasSize(lanes * perLane);
        for (int lane = 0; lane < lanes; lane++) {
            int mine = lane;
            assertThat(effects.stream().filter(text -> Integer.parseInt(text.replaceAll("\\D", "")) % lanes == mine))
                    .containsExactlyElementsOf(IntStream.range(0, perLane)
                            .mapToObj(i -> "{\"text\":\"t" + (i * lanes + mine) + "\"}")
                            .toList());
        }
        assertThat(outbox.backlog()).isEqualTo(new Backlog(0, 0, null));
    }

    @Test
    void entryThatIsAddedLater_isSentAtOnce() throws Exception {
        OutboxProcessor processor = start();
        assertThat(drain(processor)).isTrue();
        OutboxEntry added = add("a", "lane");
        awaitStatus(added, Status.CONFIRMED);
        OutboxEntry another = Outbox.on(store).add(OutboxRequest.post("/posts"));
        awaitStatus(another, Status.CONFIRMED);
    }

    @Test
    void entryThatIsAddedInATransaction_isSentWhenItHasCommitted() {
        start();
        OutboxEntry added = outbox.entries()
                .transactions()
                .run(tx -> outbox.add(tx, OutboxRequest.post("/posts").operation("in_transaction")));
        advanceUntil(added, Status.CONFIRMED, Duration.ofMillis(10));
    }

    @Test
    void confirmedEntry_hasTheResponse() throws Exception {
        OutboxEntry added = add("a", "lane");
        assertThat(drain(start())).isTrue();
        OutboxEntry confirmed = now(added);
        assertThat(confirmed.response()).isEqualTo(new OutboxEntry.Response(201, "{\"made\":1}"));
        assertThat(confirmed.firstSentAt()).isBetween(added.createdAt(), time.instant());
        assertThat(confirmed.lastError()).isNull();
        TestApi.Received request = api.requests().get(0);
        assertThat(request.key()).isEqualTo(added.idempotencyKey());
        assertThat(request.clientTxId()).isEqualTo(added.clientTxId());
    }

    @Test
    void entryWhoseResponseIsLost_isSentAgainWithTheSameKey() {
        OutboxEntry added = add("a", "lane");
        CountDownLatch lost = new CountDownLatch(1);
        api.respond(request -> {
            Reply reply = api.execute(request);
            boolean isFirst = lost.getCount() > 0;
            lost.countDown();
            return isFirst ? Reply.of(0) : reply;
        });
        start();
        awaitEvents("retry a no_response");
        assertThat(now(added).firstSentAt()).isEqualTo(time.instant());
        assertThat(now(added).lastError()).startsWith("no_response: ");
        advanceUntil(added, Status.CONFIRMED, Duration.ofMillis(100));
        assertThat(api.effects()).hasSize(1);
        assertThat(api.requests()).extracting(TestApi.Received::key).containsOnly(added.idempotencyKey());
    }

    @Test
    void retries_followTheBackoff() {
        api.respond(request -> Reply.of(500));
        OutboxEntry added = add("a", "lane");
        start();
        for (int retries = 1; retries <= 8; retries++) {
            awaitRetry(added, retries);
            long longest = 1_000L << Math.min(retries - 1, 5);
            long pause = ChronoUnit.MILLIS.between(time.instant(), now(added).nextRetryAt());
            assertThat(pause).isBetween(longest / 2, longest);
            awaitWaiting();
            time.advance(Duration.ofMillis(pause - 1));
            assertThat(api.requests()).hasSize(retries);
            time.advance(Duration.ofMillis(1));
        }
    }

    @Test
    void failedEntry_stopsItsLaneAndNoOther_untilItIsRetriedOrDiscarded() throws Exception {
        api.respond(request -> request.body().contains("bad") ? Reply.of(400).provenTo(request) : api.execute(request));
        OutboxEntry bad = add("bad", "lane");
        OutboxEntry behind = add("behind", "lane");
        OutboxEntry other = add("other", "other lane");
        OutboxProcessor processor = start();
        assertThat(drain(processor)).isTrue();
        assertThat(now(bad).status()).isEqualTo(Status.FAILED);
        assertThat(now(bad).lastError()).isEqualTo("rejected: status 400");
        assertThat(now(behind).status()).isEqualTo(Status.PENDING);
        assertThat(now(other).status()).isEqualTo(Status.CONFIRMED);
        assertThat(outbox.retry(bad.id())).isTrue();
        Eventually.assertHolds(() -> assertThat(api.requests()).hasSize(3));
        awaitStatus(bad, Status.FAILED);
        assertThat(outbox.discard(bad.id())).isTrue();
        awaitStatus(behind, Status.CONFIRMED);
    }

    @Test
    void entryThatIsDiscardedBeforeItsTurn_isNotSent() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        api.respond(request -> {
            arrived.countDown();
            await(goOn);
            return api.execute(request);
        });
        add("first", "lane");
        OutboxEntry second = add("second", "lane");
        OutboxEntry third = add("third", "lane");
        start();
        await(arrived);
        assertThat(outbox.discard(second.id())).isTrue();
        goOn.countDown();
        awaitStatus(third, Status.CONFIRMED);
        assertThat(api.effects()).containsExactly("{\"text\":\"first\"}", "{\"text\":\"third\"}");
    }

    @Test
    void entryThatIsDiscardedWhileItIsSent_isGone_andTheLaneGoesOn() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        api.respond(request -> {
            arrived.countDown();
            await(goOn);
            return api.execute(request);
        });
        OutboxEntry first = add("first", "lane");
        OutboxEntry second = add("second", "lane");
        start();
        await(arrived);
        assertThat(outbox.discard(first.id())).isTrue();
        goOn.countDown();
        awaitStatus(second, Status.CONFIRMED);
        assertThat(outbox.find(first.id())).isEmpty();
    }

    static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void networkThatIsBack_endsTheBackoff() {
        api.respond(Reply.of(0), Reply.of(0), Reply.of(0));
        OutboxEntry added = add("a", "lane");
        OutboxProcessor processor = start();
        Eventually.assertHolds(() -> {
            processor.networkAvailable(); // the clock stands still
            assertThat(now(added).status()).isEqualTo(Status.CONFIRMED);
        });
        assertThat(api.requests()).hasSize(4);
    }

    @Test
    void networkThatIsBack_doesNotEndAPauseThatTheApiHasAskedFor() throws Exception {
        api.respond(Reply.of(503).with("Retry-After", "5"));
        OutboxEntry added = add("a", "lane");
        OutboxProcessor processor = start();
        awaitRetry(added, 1);
        processor.networkAvailable();
        awaitWaiting();
        assertThat(processor.awaitEmpty(Duration.ZERO)).isFalse();
        assertThat(advanceUntil(added, Status.CONFIRMED, Duration.ofMillis(500)))
                .isGreaterThanOrEqualTo(Duration.ofSeconds(5));
        assertThat(api.requests()).hasSize(2);
    }

    /** Nobody knows how long the clock was wrong, so a pause is at most as long as it was when it was stored. */
    @Test
    void clockThatIsSetBack_doesNotExtendAPause() {
        time.setClock(time.instant().plus(Duration.ofDays(365)));
        api.respond(Reply.of(503));
        OutboxEntry waits = add("a", "lane");
        start();
        awaitRetry(waits, 1);
        stop();
        OutboxEntry isNew = add("b", "other lane");
        time.setClock(time.instant().minus(Duration.ofDays(365)));
        api.respond(request -> request.method().equals("GET") // it asks, as it cannot know how long ago it was
                ? Reply.of(404).withBody("{\"type\":\"urn:semel:problem:not_found\"}")
                : api.execute(request));
        OutboxEntry another = add("c", "lane 3");
        start();
        awaitStatus(isNew, Status.CONFIRMED);
        awaitStatus(another, Status.CONFIRMED);
        assertThat(advanceUntil(waits, Status.CONFIRMED, Duration.ofMillis(100)))
                .isLessThan(Duration.ofDays(1)); // the clock also advances while the entry is sent
    }

    @Test
    void apiThatCannotBeReached_leavesTheEntryUnsent() throws Exception {
        URI nobody;
        try (ServerSocket socket = new ServerSocket(0)) {
            nobody = URI.create("http://127.0.0.1:" + socket.getLocalPort());
        }
        OutboxEntry added = add("a", "lane");
        try (OutboxProcessor processor = OutboxProcessor.builder(outbox, nobody)
                .time(time, new SplittableRandom(1))
                .start()) {
            awaitRetry(added, 1);
            assertThat(processor.awaitEmpty(Duration.ZERO)).isFalse();
        }
        assertThat(now(added).firstSentAt()).isNull();
        assertThat(now(added).reason()).isEqualTo(Reason.NO_RESPONSE);
    }

    @Test
    void redirect_isNotFollowed() {
        api.respond(Reply.of(307).with("Location", "/elsewhere"), Reply.of(302).with("Location", "/elsewhere"));
        OutboxEntry added = add("a", "lane");
        start();
        awaitEvents("retry a redirected");
        advanceUntil(added, Status.CONFIRMED, Duration.ofSeconds(1));
        assertThat(api.requests()).extracting(TestApi.Received::path).containsOnly("/posts");
    }

    @Test
    void entry_isGivenUpAfterTheAttemptsThatTheOwnerAllows() {
        api.respond(request -> Reply.of(500));
        OutboxEntry added = add("a", "lane");
        start(builder -> builder.giveUpAfter(3));
        advanceUntil(added, Status.FAILED, Duration.ofSeconds(1));
        assertThat(api.requests()).hasSize(3);
        assertThat(now(added).reason()).isEqualTo(Reason.GAVE_UP);
    }

    @Test
    void entry_isGivenUpAtTheAgeThatTheOwnerAllows() {
        api.respond(request -> Reply.of(500));
        OutboxEntry added = add("a", "lane");
        start(builder -> builder.giveUpAfter(Duration.ofMinutes(10)));
        assertThat(advanceUntil(added, Status.FAILED, Duration.ofSeconds(10)))
                .isGreaterThanOrEqualTo(Duration.ofMinutes(10));
        assertThat(events).endsWith("failed a gave_up");
    }

    @Test
    void oldEntryThatAPersonRetries_isSentOnceMore() {
        OutboxEntry added = add("a", "lane");
        time.advance(Duration.ofMinutes(10));
        start(builder -> builder.giveUpAfter(Duration.ofMinutes(10)));
        awaitStatus(added, Status.FAILED);
        assertThat(api.requests()).isEmpty();
        assertThat(outbox.retry(added.id())).isTrue();
        awaitStatus(added, Status.CONFIRMED);
    }

    @Test
    void unknownOutcome_isAskedAboutAtGrowingIntervals_untilAnOperatorDecides() {
        api.respond(request ->
                Reply.of(409).withBody("{\"code\":\"outcome_unknown\"}").provenTo(request));
        OutboxEntry added = add("a", "lane");
        start();
        Duration before = Duration.ZERO;
        for (int retries = 1; retries <= 8; retries++) {
            awaitRetry(added, retries);
            Duration pause = Duration.between(time.instant(), now(added).nextRetryAt());
            long longest = 60_000L << Math.min(retries - 1, 6);
            assertThat(pause.toMillis()).isBetween(longest / 2, longest);
            assertThat(pause.toMillis()).isGreaterThanOrEqualTo(Math.min(before.toMillis() / 2, 1_920_000));
            before = pause;
            awaitWaiting();
            time.advance(pause);
        }
        awaitRetry(added, 9);
        api.respond();
        advanceUntil(added, Status.CONFIRMED, Duration.ofMinutes(10));
    }

    @Test
    void absoluteEndpoint_isSentThere_withoutTheToken() throws Exception {
        try (TestApi other = new TestApi()) {
            OutboxEntry own = add("own", "lane");
            OutboxEntry foreign =
                    outbox.add(OutboxRequest.post(other.uri() + "/hooks?x=1").json("{}"));
            start(builder -> builder.token(rejected -> "secret"));
            awaitStatus(own, Status.CONFIRMED);
            awaitStatus(foreign, Status.CONFIRMED);
            assertThat(api.requests())
                    .extracting(TestApi.Received::authorization)
                    .containsExactly("Bearer secret");
            assertThat(other.requests())
                    .extracting(TestApi.Received::authorization)
                    .containsExactly("");
            assertThat(other.requests()).extracting(TestApi.Received::path).containsExactly("/hooks?x=1");
        }
    }

    @Test
    void urlOfTheApiItself_isSentWithTheToken_howeverItIsWritten() {
        Duration timeout = Duration.ofSeconds(10);
        Transport transport = new Transport(URI.create("https://api.example"), timeout, time);
        assertThat(List.of("https://api.example:443/x", "HTTPS://API.example/x"))
                .allMatch(url -> transport.isOfApi(URI.create(url)));
        assertThat(List.of("http://api.example/x", "http://api.example:443/x", "https://api.example:80/x"))
                .noneMatch(url -> transport.isOfApi(URI.create(url)));
    }

    @Test
    void addressOfTheApi_mayHaveItsSchemeInUpperCase() {
        OutboxEntry added = add("a", "lane");
        try (OutboxProcessor processor = OutboxProcessor.builder(
                        outbox, URI.create(api.uri().toString().replace("http:", "HTTP:")))
                .time(time, new SplittableRandom(1))
                .start()) {
            assertThat(drain(processor)).isTrue();
            assertThat(now(added).status()).isEqualTo(Status.CONFIRMED);
        }
    }

    @Test
    void timesWithoutEnd_areAccepted() {
        Duration forEver = ChronoUnit.FOREVER.getDuration();
        Outbox keepsAll = Outbox.on(store, "outbox", forEver, time);
        OutboxEntry added = keepsAll.add(OutboxRequest.post("/posts").json("{}"));
        try (OutboxProcessor processor = OutboxProcessor.builder(keepsAll, api.uri())
                .time(time, new SplittableRandom(1))
                .timeout(forEver)
                .keyLife(forEver)
                .tombstoneLife(forEver)
                .giveUpAfter(forEver)
                .start()) {
            assertThat(drain(processor)).isTrue();
            assertThat(now(added).status()).isEqualTo(Status.CONFIRMED);
        }
    }

    @Test
    void responseBody_isKeptToItsLimit() throws Exception {
        api.respond(request -> api.execute(request).withBody("x".repeat(1 << 20)));
        OutboxEntry added = add("a", "lane");
        assertThat(drain(start())).isTrue();
        assertThat(now(added).response())
                .isEqualTo(new OutboxEntry.Response(201, "x".repeat(Transport.MOST_KEPT_BYTES)));
    }

    @Test
    void listenerThatThrows_disturbsNothing() throws Exception {
        OutboxEntry added = add("a", "lane");
        start(builder -> builder.listener(new OutboxListener() {
            @Override
            public void sending(OutboxEntry entry) {
                throw new IllegalStateException("sending");
            }

            @Override
            public void confirmed(OutboxEntry entry, Duration took) {
                throw new IllegalStateException("confirmed");
            }
        }));
        awaitStatus(added, Status.CONFIRMED);
        awaitEvents("confirmed a");
    }

    /** The response has not arrived when the processor is closed, so the entry has to remember that it was sent. */
    @Test
    void attemptThatIsCutOffByClosing_isRemembered() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        api.respond(request -> {
            arrived.countDown();
            try {
                never.await();
            } catch (InterruptedException e) {
                return Reply.of(0);
            }
            return Reply.of(0);
        });
        OutboxEntry added = add("a", "lane");
        OutboxProcessor processor = start();
        await(arrived);
        Instant sentAt = time.instant();
        Thread.currentThread().interrupt(); // closes at once
        processor.close();
        assertThat(Thread.interrupted()).isTrue();
        Eventually.assertHolds(() -> assertThat(now(added).firstSentAt()).isEqualTo(sentAt));
        never.countDown();
    }

    @Test
    void twoProcessorsInOneProcess_shareTheLanes() throws Exception {
        for (int i = 0; i < 200; i++) {
            add("t" + i, "lane-" + i % 10);
        }
        OutboxProcessor first = start();
        try (OutboxProcessor second = OutboxProcessor.builder(outbox, api.uri())
                .time(time, new SplittableRandom(2))
                .start()) {
            Eventually.assertHolds(() -> {
                time.advance(Duration.ofSeconds(1));
                assertThat(outbox.backlog().pending()).isZero();
            });
            assertThat(drain(second)).isTrue();
        }
        assertThat(drain(first)).isTrue();
        assertThat(api.requests()).hasSize(200);
        assertThat(api.effects()).hasSize(200);
    }

    @Test
    void addressWithASchemeInUpperCase_isTheSame() throws Exception {
        URI upper = URI.create(api.uri().toString().replace("http:", "HTTP:"));
        OutboxEntry added = outbox.add(OutboxRequest.post(api.uri() + "/posts").json("{}"));
        try (OutboxProcessor processor = OutboxProcessor.builder(outbox, upper)
                .token(rejected -> "secret")
                .time(time, new SplittableRandom(1))
                .start()) {
            assertThat(drain(processor)).isTrue();
        }
        assertThat(now(added).status()).isEqualTo(Status.CONFIRMED);
        assertThat(api.requests().get(0).authorization()).isEqualTo("Bearer secret");
    }

    @Test
    void settingsThatMakeNoSense_areRejected() {
        assertThatIllegalArgumentException().isThrownBy(() -> OutboxProcessor.builder(outbox, URI.create("ftp://x")));
        assertThatIllegalArgumentException().isThrownBy(() -> OutboxProcessor.builder(outbox, URI.create("/path")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OutboxProcessor.builder(outbox, URI.create("http://user:pw@host")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OutboxProcessor.builder(outbox, URI.create("http://host/path")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OutboxProcessor.builder(outbox, URI.create("http://host?query")));
        OutboxProcessor.Builder builder = OutboxProcessor.builder(outbox, api.uri());
        assertThatIllegalArgumentException().isThrownBy(() -> builder.parallel(0));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.timeout(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.giveUpAfter(0));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.keyLife(Duration.ofDays(-1)));
    }

    @Test
    void listenerThatThrowsAnError_disturbsNothing() {
        OutboxEntry first = add("first", "lane");
        OutboxEntry second = add("second", "lane");
        start(builder -> builder.listener(new OutboxListener() {
            @Override
            public void sending(OutboxEntry entry) {
                throw new AssertionError("sending");
            }

            @Override
            public void confirmed(OutboxEntry entry, Duration took) {
                OutboxProcessorTest.<RuntimeException>throwUnchecked(new IOException("confirmed"));
            }
        }));
        awaitStatus(first, Status.CONFIRMED);
        awaitStatus(second, Status.CONFIRMED);
    }

    /** Throws a checked exception as other languages do. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> void throwUnchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Test
    void proofThatThrows_delaysTheEntry() {
        OutboxEntry added = add("a", "lane");
        CountDownLatch thrown = new CountDownLatch(1);
        start(builder -> builder.proof((entry, status, headers) -> {
            if (thrown.getCount() > 0) {
                thrown.countDown();
                OutboxProcessorTest.<RuntimeException>throwUnchecked(new IOException("no proof"));
            }
            return true;
        }));
        await(thrown);
        advanceUntil(added, Status.CONFIRMED, Duration.ofSeconds(1));
        assertThat(api.effects()).hasSize(1);
    }

    @Test
    void listenerThatInterrupts_stopsNoLane() {
        OutboxEntry first = add("first", "lane");
        OutboxEntry second = add("second", "lane");
        start(builder -> builder.parallel(1).listener(new OutboxListener() {
            private boolean again;

            @Override
            public void sending(OutboxEntry entry) {
                if (!again) {
                    again = true;
                    Thread.currentThread().interrupt();
                }
            }
        }));
        awaitStatus(first, Status.CONFIRMED);
        awaitStatus(second, Status.CONFIRMED);
    }

    @Test
    void damagedEntryBehindOthers_isListedAsFailed() {
        OutboxEntry first = add("first", "lane");
        OutboxEntry damaged = add("damaged", "lane");
        outbox.entries().transactions().run(tx -> {
            DocumentId id = outbox.entries().queued(EntryId.parse(damaged.id()));
            Document current = tx.read(id).orElseThrow();
            return tx.put(current.updated(tx.now(), Json.of("{}")), EntryStore.indexEntries(damaged));
        });
        start();
        awaitStatus(first, Status.CONFIRMED);
        Eventually.assertHolds(() -> assertThat(outbox.list(new Outbox.Query(Status.FAILED, null, "", 10))
                        .entries())
                .extracting(OutboxEntry::id)
                .containsExactly(damaged.id()));
    }
}
