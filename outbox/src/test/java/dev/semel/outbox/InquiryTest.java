package dev.semel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.Transactions;
import dev.semel.json.Json;
import dev.semel.outbox.OutboxEntry.Status;
import dev.semel.outbox.TestApi.Reply;
import dev.semel.store.Document;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An entry that was first sent longer ago than the API keeps keys is not sent again blindly. */
class InquiryTest extends ProcessorFixture {

    private final AtomicReference<Reply> record = new AtomicReference<>(Reply.of(500));

    /** Sends an entry, loses the response, and lets time pass while the network is down. */
    private OutboxEntry sentLongAgo(Duration ago, Consumer<OutboxProcessor.Builder> settings) {
        api.respond(request -> Reply.of(0));
        OutboxEntry added = add("a", "lane");
        start(settings);
        awaitRetry(added, 1);
        stop();
        time.advance(ago);
        api.respond(request -> request.method().equals("GET") ? record.get() : api.execute(request));
        start(settings);
        return added;
    }

    private OutboxEntry sentLongAgo(Duration ago) {
        return sentLongAgo(ago, builder -> {});
    }

    private void recordIs(String status, String outcome) {
        OutboxEntry entry = outbox.list(Outbox.Query.all()).entries().get(0);
        record.set(Reply.of(200)
                .withBody("{\"clientTxId\":\"" + entry.clientTxId() + "\",\"status\":\"" + status + "\"" + outcome
                        + "}"));
    }

    private static Reply notFound() {
        return Reply.of(404).withBody("{\"type\":\"urn:semel:problem:not_found\"}");
    }

    private List<String> sent() {
        return api.requests().stream().map(TestApi.Received::method).toList();
    }

    @Test
    void entryWithinTheKeysLife_isSentWithoutAsking() {
        OutboxEntry added = sentLongAgo(Duration.ofHours(23));
        awaitStatus(added, Status.CONFIRMED);
        assertThat(sent()).containsExactly("POST", "POST");
    }

    @Test
    void knownKey_givesTheOutcome() {
        OutboxEntry added = sentLongAgo(Duration.ofHours(25));
        awaitRetry(added, 2);
        recordIs("expired", ",\"outcome\":201");
        advanceUntil(added, Status.CONFIRMED, Duration.ofSeconds(1));
        assertThat(now(added).response()).isEqualTo(new OutboxEntry.Response(201, ""));
        assertThat(sent().subList(1, sent().size())).containsOnly("GET");
        assertThat(api.requests().get(1).path())
                .isEqualTo("/v1/idempotency/" + added.idempotencyKey() + "?endpoint=POST+%2Fposts");
    }

    @Test
    void keyOfARejectedRequest_failsTheEntry() {
        OutboxEntry added = sentLongAgo(Duration.ofHours(25));
        awaitRetry(added, 2);
        recordIs("expired", ",\"outcome\":404");
        advanceUntil(added, Status.FAILED, Duration.ofSeconds(1));
        assertThat(now(added).reason()).isEqualTo(Reason.REJECTED);
        assertThat(api.effects()).isEmpty();
    }

    @Test
    void keyWithoutAnOutcome_isDecidedByTheOwnersRule() {
        OutboxEntry added = sentLongAgo(Duration.ofHours(25));
        awaitRetry(added, 2);
        recordIs("expired", "");
        advanceUntil(added, Status.FAILED, Duration.ofSeconds(1));
        assertThat(now(added).lastError()).startsWith("expired: ");
    }

    @Test
    void keyOfAFailedRequest_isSentAgain() {
        OutboxEntry added = sentLongAgo(Duration.ofHours(25));
        awaitRetry(added, 2);
        recordIs("expired", ",\"outcome\":500,\"cause\":\"IOException\"");
        advanceUntil(added, Status.CONFIRMED, Duration.ofSeconds(1));
        assertThat(api.effects()).hasSize(1);
    }

    /** The API decides what a retry of such a key does. */
    @ParameterizedTest
    @ValueSource(strings = {"processing", "failed", "unknown"})
    void keyThatHasNotEnded_isSentAgain(String status) {
        OutboxEntry added = sentLongAgo(Duration.ofHours(25));
        awaitRetry(added, 2);
        recordIs(status, "");
        advanceUntil(added, Status.CONFIRMED, Duration.ofSeconds(1));
        assertThat(api.effects()).hasSize(1);
    }

    @Test
    void unknownKey_withinTheLifeOfTombstones_wasNeverExecuted_soTheEntryIsSent() {
        record.set(notFound());
        OutboxEntry added = sentLongAgo(Duration.ofDays(30));
        awaitStatus(added, Status.CONFIRMED);
        assertThat(sent()).containsExactly("POST", "GET", "POST");
    }

    @Test
    void unknownKey_beyondTheLifeOfTombstones_failsTheEntry_andAPersonCanSendIt() {
        record.set(notFound());
        OutboxEntry added = sentLongAgo(Duration.ofDays(31));
        awaitStatus(added, Status.FAILED);
        assertThat(now(added).lastError()).startsWith("expired: ");
        assertThat(api.effects()).isEmpty();
        assertThat(outbox.retry(added.id())).isTrue();
        awaitStatus(added, Status.CONFIRMED);
    }

    @Test
    void unknownKey_beyondTheLifeOfTombstones_isSent_ifTheOwnerWantsThat() {
        record.set(notFound());
        OutboxEntry added = sentLongAgo(Duration.ofDays(31), builder -> builder.ifExpired(IfExpired.SEND));
        awaitStatus(added, Status.CONFIRMED);
    }

    @Test
    void notFoundOfACaptivePortal_isNoAnswer() {
        record.set(Reply.of(404).withBody("<html>not here</html>"));
        check404IsNoAnswer();
    }

    @Test
    void notFoundOfAGateway_isNoAnswer() {
        record.set(Reply.of(404).withBody("{\"code\":\"not_found\"}"));
        check404IsNoAnswer();
    }

    private void check404IsNoAnswer() {
        OutboxEntry added = sentLongAgo(Duration.ofDays(40));
        awaitRetry(added, 2);
        assertThat(now(added).reason()).isEqualTo(Reason.NOT_PROVEN);
        assertThat(api.effects()).isEmpty();
    }

    /** The server may have stored another spelling of such a path, so that it does not find the key. */
    @Test
    void unknownKeyOfAPathWithEscapes_isNotTakenForAnAnswer() {
        record.set(notFound());
        api.respond(request -> Reply.of(0));
        OutboxEntry added = outbox.add(OutboxRequest.post("/posts/%41").json("{}"));
        start();
        awaitRetry(added, 1);
        stop();
        time.advance(Duration.ofHours(25));
        api.respond(request -> request.method().equals("GET") ? record.get() : api.execute(request));
        start();
        awaitStatus(added, Status.FAILED);
    }

    @Test
    void apiThatCannotBeAsked_leavesTheDecisionToTheOwner() {
        OutboxEntry added = sentLongAgo(Duration.ofHours(25), OutboxProcessor.Builder::cannotAsk);
        awaitStatus(added, Status.FAILED);
        assertThat(sent()).containsExactly("POST");
    }

    /** The clocks of the client and of the API differ by months. */
    @Test
    void lifeOfKeys_isLearnedFromTheApi_andRememberedByTheNextProcessor() throws Exception {
        api.respond(request -> api.execute(request)
                .with(
                        "Idempotency-Expires",
                        Instant.now().plus(Duration.ofMinutes(10)).toString()));
        add("first", "lane");
        assertThat(drain(start())).isTrue();
        stop();
        record.set(notFound());
        OutboxEntry added = sentLongAgo(Duration.ofMinutes(10));
        awaitStatus(added, Status.CONFIRMED);
        assertThat(sent()).containsExactly("POST", "POST", "GET", "POST");
    }

    @Test
    void keyThatTheApiRejectsAsExpired_isLookedUp() {
        api.respond(request -> request.method().equals("GET")
                ? record.get()
                : Reply.of(410).withBody("{\"code\":\"key_expired\"}").provenTo(request));
        OutboxEntry added = add("a", "lane");
        recordIs("expired", ",\"outcome\":200");
        start();
        awaitStatus(added, Status.CONFIRMED);
    }

    /** The sender crashed with the claim on the lane, so it may have sent the first entry; and never the second. */
    @Test
    void firstEntryOfACrashedSender_countsAsSent() {
        OutboxEntry first = add("a", "lane");
        OutboxEntry second = add("b", "lane");
        Instant claimedAt = time.instant();
        new Transactions(store, time).run(tx -> {
            tx.expectAbsent(outbox.entries().claim(EntryId.digest("lane")));
            Json data = Json.of("{\"sender\":\"crashed\",\"since\":\"" + claimedAt + "\"}");
            return tx.put(
                    Document.created(outbox.entries().claim(EntryId.digest("lane")), claimedAt, null, data), List.of());
        });
        time.advance(Duration.ofHours(25));
        record.set(notFound());
        api.respond(request -> request.method().equals("GET") ? record.get() : api.execute(request));
        start();
        awaitStatus(second, Status.CONFIRMED);
        assertThat(sent()).containsExactly("GET", "POST", "POST");
        assertThat(now(first).firstSentAt()).isEqualTo(claimedAt);
        assertThat(now(second).firstSentAt()).isEqualTo(time.instant());
    }

    @Test
    void entryThatWasNeverSent_isSentHoweverOldItIs() {
        OutboxEntry added = add("a", "lane");
        time.advance(Duration.ofDays(400));
        start();
        awaitStatus(added, Status.CONFIRMED);
        assertThat(sent()).containsExactly("POST");
    }

    @Test
    void rejectedTokenOfAQuestion_isReplaced() {
        OutboxEntry added = sentLongAgo(
                Duration.ofHours(25), builder -> builder.token(rejected -> rejected == null ? "old" : "new"));
        api.respond(request -> request.authorization().equals("Bearer new") ? record.get() : Reply.of(401));
        recordIs("expired", ",\"outcome\":201");
        advanceUntil(added, Status.CONFIRMED, Duration.ofSeconds(1));
    }
}
