package dev.semel.outbox;

import java.net.http.HttpHeaders;
import java.time.Instant;

/** What came of an attempt to send a request. */
sealed interface Reply {

    /**
     * A complete response.
     *
     * @param body the start of the body
     * @param at when it arrived
     */
    record Received(int status, HttpHeaders headers, String body, Instant at) implements Reply {}

    /** No complete response. The API may have processed the request. */
    record Lost(String problem) implements Reply {}

    /** There was no connection, so nothing was sent. */
    record NotSent(String problem) implements Reply {}

    /** The request cannot be sent, now or later. */
    record Unsendable(String problem) implements Reply {}
}
