package dev.semel.outbox;

import java.time.Duration;

/** What happens to an entry after an attempt to send it. */
sealed interface Decision {

    /** The API has processed the request. */
    record Confirm() implements Decision {}

    /**
     * The entry is sent again with the same key, after a backoff.
     *
     * @param atLeast the shortest pause that the API asks for; zero if it asks for none
     */
    record Retry(Reason reason, Duration atLeast) implements Decision {}

    /** The entry is sent again with the same key, with a fresh token. */
    record RefreshToken() implements Decision {}

    /** The API does not know the outcome of an earlier attempt. The entry is sent again with the same key, at growing intervals. */
    record AskLater() implements Decision {}

    /** The API no longer accepts the key. What became of an earlier attempt is looked up. */
    record LookUp() implements Decision {}

    /** The entry is not sent again, unless a person decides so. */
    record Fail(Reason reason) implements Decision {}
}
