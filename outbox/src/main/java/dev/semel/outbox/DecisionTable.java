package dev.semel.outbox;

import dev.semel.outbox.Reply.Received;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides what happens to an entry after an attempt to send it.
 *
 * <pre>
 * response                            proven by the API   not proven
 * ----------------------------------  ------------------  ----------
 * none, or incomplete                 -                   retry
 * 2xx                                 confirm             retry
 * 3xx                                 fail                retry
 * 401                                 refresh the token   refresh the token
 * 408, 425, 429, 5xx                  retry               retry
 * 409 in_progress, or Retry-After     retry               retry
 * 409 outcome_unknown                 ask later           retry
 * 410 key_expired                     look up             retry
 * 422 payload_mismatch                fail                retry
 * any other                           fail                retry
 * </pre>
 *
 * <p>A response without {@linkplain Proof proof} that it comes from the API, such as the page of a captive portal, says nothing about the
 * entry. A pause that the API asks for by {@code Retry-After} is a lower bound, for 409, 429 and 503.
 */
final class DecisionTable {

    /** The longest pause that an API can ask for. */
    static final Duration LONGEST_PAUSE = Duration.ofDays(1);

    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,10}");

    private DecisionTable() {}

    static Decision decide(OutboxEntry entry, Reply reply, Proof proof) {
        if (reply instanceof Received received) {
            return decide(received, proof.isGiven(entry, received.status(), received.headers()));
        }
        return reply instanceof Reply.Unsendable
                ? new Decision.Fail(Reason.INVALID)
                : new Decision.Retry(Reason.NO_RESPONSE, Duration.ZERO);
    }

    private static Decision decide(Received response, boolean isProven) {
        int status = response.status();
        Duration retryAfter = retryAfter(response);
        if (status == 401) {
            return new Decision.RefreshToken();
        }
        if (status == 408 || status == 425 || status == 429) {
            return new Decision.Retry(Reason.BUSY, status == 429 ? orZero(retryAfter) : Duration.ZERO);
        }
        if (status >= 500) {
            return new Decision.Retry(Reason.SERVER_ERROR, status == 503 ? orZero(retryAfter) : Duration.ZERO);
        }
        String code = status == 409 || status == 410 || status == 422 ? code(response) : "";
        if (status == 409 && (retryAfter != null || code.equals("in_progress"))) {
            return new Decision.Retry(Reason.IN_PROGRESS, orZero(retryAfter));
        }
        if (!isProven) {
            return new Decision.Retry(isRedirect(status) ? Reason.REDIRECTED : Reason.NOT_PROVEN, Duration.ZERO);
        }
        if (status >= 200 && status < 300) {
            return new Decision.Confirm();
        }
        if (status == 409 && code.equals("outcome_unknown")) {
            return new Decision.AskLater();
        }
        if (status == 410 && code.equals("key_expired")) {
            return new Decision.LookUp();
        }
        if (status == 422 && code.equals("payload_mismatch")) {
            return new Decision.Fail(Reason.PAYLOAD_MISMATCH);
        }
        return new Decision.Fail(isRedirect(status) ? Reason.REDIRECTED : Reason.REJECTED);
    }

    private static boolean isRedirect(int status) {
        return status >= 300 && status < 400;
    }

    private static String code(Received response) {
        return JsonMembers.of(response.body()).getOrDefault("code", "");
    }

    private static Duration orZero(@Nullable Duration duration) {
        return duration == null ? Duration.ZERO : duration;
    }

    /** Returns the pause that a response asks for, in seconds or until a date by the server's clock; null if it asks for none. */
    private static @Nullable Duration retryAfter(Received response) {
        String value = response.headers().firstValue("Retry-After").orElse("").strip();
        if (value.isEmpty()) {
            return null;
        }
        if (SECONDS.matcher(value).matches()) {
            return bounded(Duration.ofSeconds(Long.parseLong(value)));
        }
        Instant until = date(value);
        if (until == null) {
            return null;
        }
        Instant now = date(response.headers().firstValue("Date").orElse(""));
        return bounded(Duration.between(now == null ? response.at() : now, until));
    }

    private static Duration bounded(Duration pause) {
        if (pause.isNegative()) {
            return Duration.ZERO;
        }
        return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
    }

    /** Parses a date of a header; null if it is malformed. */
    static @Nullable Instant date(String text) {
        try {
            return ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME.withLocale(Locale.ROOT))
                    .toInstant();
        } catch (DateTimeException e) {
            return null;
        }
    }
}
