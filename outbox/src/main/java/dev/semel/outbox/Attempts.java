package dev.semel.outbox;

import dev.semel.outbox.Inquiry.Finding;
import dev.semel.outbox.OutboxEntry.Response;
import dev.semel.outbox.Reply.Received;
import dev.semel.outbox.Tokens.NoTokenException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Attempts to send entries, and decides from the response whether they are confirmed, sent again, or have failed. Writes nothing. Thread-safe. */
final class Attempts {

    private static final int LONGEST_ERROR = 500;

    private final ProcessorSettings settings;
    private final Transport transport;
    private final Inquiry inquiry;
    private final Tokens tokens;
    private final KeyLife keyLife;
    private final Backoff backoff;
    private final InstantSource clock;
    private final OutboxListener listener;

    Attempts(
            ProcessorSettings settings,
            Transport transport,
            Tokens tokens,
            KeyLife keyLife,
            Backoff backoff,
            InstantSource clock,
            OutboxListener listener) {
        this.settings = settings;
        this.transport = transport;
        this.inquiry = new Inquiry(transport);
        this.tokens = tokens;
        this.keyLife = keyLife;
        this.backoff = backoff;
        this.clock = clock;
        this.listener = listener;
    }

    /** The result of an attempt, with the entry as it has to be stored. */
    sealed interface Result {
        OutboxEntry entry();

        /** The API has processed it. */
        record Confirmed(OutboxEntry entry) implements Result {}

        /** It is sent again at its {@code nextRetryAt}. */
        record Again(OutboxEntry entry, Reason reason) implements Result {}

        /** It is not sent again, unless a person decides so. */
        record Failed(OutboxEntry entry, Reason reason) implements Result {}

        /** The thread was interrupted. */
        record Interrupted(OutboxEntry entry) implements Result {}
    }

    /** Attempts to send an entry. */
    Result attempt(OutboxEntry entry) {
        Instant now = clock.instant();
        Duration most = settings.giveUpAge();
        if (most != null && !isRetriedByAPerson(entry) && age(entry, now).compareTo(most) >= 0) {
            return failed(entry, Reason.GAVE_UP, "the entry was added at " + entry.createdAt(), null);
        }
        Instant firstSentAt = entry.firstSentAt();
        try {
            if (firstSentAt != null && keyLife.mayBeOver(firstSentAt, now)) {
                Result known = lookUp(entry, firstSentAt, now);
                if (known != null) {
                    return known;
                }
            }
            return send(entry);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Result.Interrupted(entry);
        }
    }

    /** Whether a person has decided that the entry is sent again, and it was not since. It then has one attempt, however old it is. */
    private static boolean isRetriedByAPerson(OutboxEntry entry) {
        return entry.retryCount() == 0 && entry.lastError() != null;
    }

    private static Duration age(OutboxEntry entry, Instant now) {
        return Duration.between(entry.createdAt(), now);
    }

    /** Asks for the result of an earlier attempt, whose key may have expired. Returns null if the entry can be sent. */
    private @Nullable Result lookUp(OutboxEntry entry, Instant firstSentAt, Instant now) throws InterruptedException {
        if (!settings.canAsk()) {
            return ifExpired(entry, firstSentAt);
        }
        String rejected = null;
        while (true) {
            String token;
            try {
                token = tokens.get(rejected);
            } catch (NoTokenException e) {
                return again(entry, Reason.UNAUTHORIZED, String.valueOf(e.getMessage()), Duration.ZERO);
            }
            Finding finding = inquiry.ask(entry, token);
            if (finding instanceof Finding.Unauthorized) {
                if (token == null || rejected != null) {
                    return again(entry, Reason.UNAUTHORIZED, "the token is rejected", Duration.ZERO);
                }
                rejected = token;
                continue;
            }
            if (finding instanceof Finding.Processed processed) {
                return finished(entry, processed.response());
            }
            if (finding instanceof Finding.NoAnswer none) {
                return again(entry, none.reason(), none.problem(), Duration.ZERO);
            }
            if (finding instanceof Finding.Unclear
                    || (finding instanceof Finding.Unknown && keyLife.mayBeForgotten(firstSentAt, now))) {
                return ifExpired(entry, firstSentAt);
            }
            return null;
        }
    }

    private @Nullable Result ifExpired(OutboxEntry entry, Instant firstSentAt) {
        return settings.ifExpired() == IfExpired.SEND
                ? null
                : failed(
                        entry,
                        Reason.EXPIRED,
                        "the request was first sent at " + firstSentAt + ", and nobody knows its outcome any more",
                        null);
    }

    /** Returns what a recorded response means. The server has processed the request in either case. */
    private Result finished(OutboxEntry entry, Response response) {
        return response.status() < 300
                ? new Result.Confirmed(entry.confirmed(response))
                : failed(entry, Reason.REJECTED, "status " + response.status(), response);
    }

    private Result send(OutboxEntry waiting) throws InterruptedException {
        OutboxEntry entry = waiting;
        String rejected = null;
        while (true) {
            String token;
            try {
                token = tokens.get(rejected);
            } catch (NoTokenException e) {
                return again(entry, Reason.UNAUTHORIZED, String.valueOf(e.getMessage()), Duration.ZERO);
            }
            if (token != null && token.equals(rejected)) {
                return again(entry, Reason.UNAUTHORIZED, "the token is rejected", Duration.ZERO);
            }
            Instant start = clock.instant();
            OutboxEntry sent = entry.firstSentAt() == null ? entry.sentAt(start) : entry;
            listener.sending(entry);
            Reply reply;
            try {
                reply = transport.send(entry, token);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return new Result.Interrupted(sent);
            }
            if (!(reply instanceof Reply.NotSent) && !(reply instanceof Reply.Unsendable)) {
                entry = sent;
            }
            Decision decision = DecisionTable.decide(entry, reply, settings.proof());
            if (decision instanceof Decision.RefreshToken && token != null && rejected == null) {
                rejected = token;
                continue;
            }
            return result(entry, reply, decision);
        }
    }

    private Result result(OutboxEntry entry, Reply reply, Decision decision) throws InterruptedException {
        if (decision instanceof Decision.Confirm && reply instanceof Received received) {
            keyLife.learn(received);
            return new Result.Confirmed(entry.confirmed(new Response(received.status(), received.body())));
        }
        String problem = problem(reply);
        if (decision instanceof Decision.Retry retry) {
            return again(entry, retry.reason(), problem, retry.atLeast());
        }
        if (decision instanceof Decision.RefreshToken) {
            return again(entry, Reason.UNAUTHORIZED, problem, Duration.ZERO);
        }
        if (decision instanceof Decision.AskLater) {
            return retryAfter(entry, Reason.OUTCOME_UNKNOWN, problem, backoff.betweenQuestions(entry.retryCount()));
        }
        Response response =
                reply instanceof Received received ? new Response(received.status(), received.body()) : null;
        if (decision instanceof Decision.LookUp) {
            Instant now = clock.instant();
            Instant firstSentAt = entry.firstSentAt();
            Result known = lookUp(entry, firstSentAt == null ? now : firstSentAt, now);
            return known == null ? failed(entry, Reason.EXPIRED, problem, response) : known;
        }
        Reason reason = decision instanceof Decision.Fail fail ? fail.reason() : Reason.REJECTED;
        return failed(entry, reason, problem, response);
    }

    private Result again(OutboxEntry entry, Reason reason, String problem, Duration atLeast) {
        return retryAfter(entry, reason, problem, backoff.pause(entry.retryCount(), atLeast));
    }

    private Result retryAfter(OutboxEntry entry, Reason reason, String problem, Duration pause) {
        Integer most = settings.giveUpAttempts();
        if (most != null && entry.retryCount() + 1 >= most) {
            return failed(entry, Reason.GAVE_UP, "attempt " + most + " failed: " + reason + ", " + problem, null);
        }
        return new Result.Again(entry.retried(clock.instant().plus(pause), reason, error(reason, problem)), reason);
    }

    private static Result failed(OutboxEntry entry, Reason reason, String problem, @Nullable Response response) {
        return new Result.Failed(entry.failed(reason, error(reason, problem), response), reason);
    }

    private static String error(Reason reason, String problem) {
        String text = reason + ": " + problem;
        return text.length() <= LONGEST_ERROR ? text : text.substring(0, LONGEST_ERROR) + "…";
    }

    /** Describes what went wrong. */
    static String problem(Reply reply) {
        if (reply instanceof Received received) {
            Map<String, String> members = JsonMembers.of(received.body());
            String detail = members.getOrDefault("detail", members.getOrDefault("error", ""));
            return "status " + received.status() + (detail.isEmpty() ? "" : ", " + detail);
        }
        if (reply instanceof Reply.Lost lost) {
            return lost.problem();
        }
        return reply instanceof Reply.NotSent not ? not.problem() : ((Reply.Unsendable) reply).problem();
    }
}
