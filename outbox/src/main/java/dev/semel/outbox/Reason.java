package dev.semel.outbox;

import java.util.Locale;

/** Why an attempt to send an entry was not confirmed. */
public enum Reason {
    /** No complete response arrived: the connection failed, timed out, or ended early. */
    NO_RESPONSE,

    /** A response arrived that does not prove that it comes from the API, such as the page of a captive portal. */
    NOT_PROVEN,

    /** The API redirects the request. */
    REDIRECTED,

    /** The API rejects the token, or there is no token. */
    UNAUTHORIZED,

    /** The API asks to try again later. */
    BUSY,

    /** The API reports that it has failed. */
    SERVER_ERROR,

    /** The API still processes an earlier attempt. */
    IN_PROGRESS,

    /** The API does not know whether an earlier attempt took effect. An operator has to decide. */
    OUTCOME_UNKNOWN,

    /** The API has processed another payload under the same key. */
    PAYLOAD_MISMATCH,

    /** The API rejects the request. */
    REJECTED,

    /** The request was first sent so long ago that the API no longer knows its key. */
    EXPIRED,

    /** The request cannot be sent: its endpoint is not usable. */
    INVALID,

    /** The limit of attempts or of age, which the owner of the outbox has set, is reached. */
    GAVE_UP;

    /** Whether the network, or something in it, may be the cause. */
    boolean isOfNetwork() {
        return this == NO_RESPONSE || this == NOT_PROVEN || this == REDIRECTED;
    }

    /** Returns the name in lower case, as in metrics and error texts. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
