package dev.semel.testkit.client;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What happens to one request and its response on their way.
 *
 * @param kind which parts of the request and its response are passed on
 * @param forward for {@link Kind#RESPOND} and {@link Kind#GARBAGE}: whether the server gets the request nevertheless
 * @param reset whether the connection ends with a reset instead of an orderly close
 * @param delay how long the request waits before it is forwarded
 * @param status the status of a response of the proxy
 * @param headers the headers of a response of the proxy; a value may be {@link #CLIENT_TX_ID}, or {@link #DATE_AFTER} and a duration
 * @param body the body of a response of the proxy
 * @param kill the process to kill; null for none
 * @param at when to kill it
 */
public record Fault(
        Kind kind,
        boolean forward,
        boolean reset,
        Duration delay,
        int status,
        Map<String, String> headers,
        String body,
        @Nullable Target kill,
        Moment at) {

    /** Passes the request to the server and its response to the client. */
    public static final Fault NONE = of(Kind.PASS);

    /** Value of a header that stands for the {@code X-Client-Tx-Id} of the request, which proves that a response comes from the API. */
    public static final String CLIENT_TX_ID = "client-tx-id";

    /** Start of the value of a header that stands for the date after an ISO-8601 duration, such as {@code date-after PT5S}. */
    public static final String DATE_AFTER = "date-after ";

    /** Fills in defaults for members that are missing in JSON. */
    public Fault {
        kind = Objects.requireNonNullElse(kind, Kind.PASS);
        delay = Objects.requireNonNullElse(delay, Duration.ZERO);
        headers = headers == null ? Map.of() : Map.copyOf(headers);
        body = Objects.requireNonNullElse(body, "");
        at = Objects.requireNonNullElse(at, Moment.RECEIVED);
    }

    /** Which parts of a request and its response are passed on. */
    public enum Kind {
        /** Both are passed on as they are. */
        PASS,

        /** The request does not reach the server. */
        DROP_REQUEST,

        /** The server responds, and the client gets no part of it. */
        DROP_RESPONSE,

        /** The client gets a part of the response's head. */
        CUT_HEAD,

        /** The client gets the response's head and half of its body; of a response without a body, a part of its head. */
        CUT_BODY,

        /** The client gets a response of the proxy. */
        RESPOND,

        /** The client gets bytes that are not HTTP. */
        GARBAGE,

        /** The request does not reach the server, and the client gets nothing until it closes the connection. */
        HANG
    }

    /** A process that can be killed. */
    public enum Target {
        CLIENT,
        SERVER
    }

    /** A moment in an attempt. */
    public enum Moment {
        /** The proxy has received the request and forwarded nothing. */
        RECEIVED,

        /** The proxy has forwarded the request. The server may be processing it. */
        FORWARDED,

        /** The server has responded, and the client has got no part of the response. */
        RESPONDED,

        /** The client was sent what the fault lets through. */
        PASSED
    }

    /** Returns a fault without modifiers. */
    public static Fault of(Kind kind) {
        return new Fault(kind, false, false, Duration.ZERO, 0, Map.of(), "", null, Moment.RECEIVED);
    }

    boolean isForwarded() {
        return switch (kind) {
            case PASS, DROP_RESPONSE, CUT_HEAD, CUT_BODY -> true;
            case RESPOND, GARBAGE -> forward;
            case DROP_REQUEST, HANG -> false;
        };
    }
}
