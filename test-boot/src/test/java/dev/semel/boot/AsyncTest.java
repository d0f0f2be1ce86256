package dev.semel.boot;

import static dev.semel.boot.Customer.isReplay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.testkit.Eventually;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Handlers that respond after they have returned. */
class AsyncTest {

    private final Charges charges = Environment.charges();
    private final Customer ann = Environment.ann();
    private final String order = Environment.newOrder();

    static Stream<Arguments> kinds() {
        return Stream.of(Kind.values())
                .flatMap(kind -> Stream.of("freeze", "rerun").map(policy -> Arguments.of(kind, policy)));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void threeTries_chargeOnce(Kind kind, String policy) {
        String path = kind.path(policy);
        HttpResponse<String> first = ann.order(path, order, order);
        assertThat(first.body()).isEqualTo("charge 1 of " + order);
        assertThat(first.statusCode()).isEqualTo(kind == Kind.DEFERRED ? 201 : 200);
        assertThat(isReplay(first)).isFalse();
        for (int retry = 1; retry <= 2; retry++) {
            HttpResponse<String> again = ann.order(path, order, order);
            assertThat(again.statusCode()).isEqualTo(first.statusCode());
            assertThat(again.body()).isEqualTo(first.body());
            assertThat(isReplay(again)).isTrue();
        }
        assertThat(charges.count(order)).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void runThatOutlivesItsClient_chargesOnce(Kind kind, String policy) {
        String path = kind.path(policy);
        HttpResponse<String> late = retryAfterDisconnect(path);
        assertThat(late.body()).isEqualTo("charge 1 of " + order);
        assertThat(isReplay(late)).isTrue();
        assertThat(charges.count(order)).isEqualTo(1);
    }

    /** Sends an order, disconnects while it is charged, and sends it again. */
    private HttpResponse<String> retryAfterDisconnect(String path) {
        charges.hold(order);
        try {
            CompletableFuture<?> abandoned = ann.sendAsync(ann.orderRequest(path, order, order));
            Eventually.assertHolds(() -> assertThat(charges.count(order)).isEqualTo(1));
            assertThat(abandoned.cancel(true)).isTrue();
            HttpResponse<String> early = ann.order(path, order, order);
            assertThat(early.statusCode()).isEqualTo(409);
            assertThat(early.body()).contains("\"in_progress\"");
        } finally {
            charges.release(order);
        }
        return ann.orderWaiting(path, order, order);
    }

    private static void assertUnknown(HttpResponse<String> response) {
        assertThat(response.statusCode()).isEqualTo(409);
        assertThat(response.body()).contains("\"outcome_unknown\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"freeze", "rerun"})
    void futureThatFails_runsAgain(String policy) {
        String path = "/" + policy + "/orders/failing-future";
        assertThat(ann.order(path, order, order).statusCode()).isEqualTo(500);
        assertThat(ann.order(path, order, order).statusCode()).isEqualTo(500);
        assertThat(charges.count(order)).isEqualTo(2);
    }

    @Test
    void futureThatIsInterrupted_isUnknownUnderFreeze() {
        String path = "/freeze/orders/interrupted-future";
        assertThat(ann.order(path, order, order).statusCode()).isGreaterThanOrEqualTo(409);
        assertUnknown(ann.order(path, order, order));
        assertThat(charges.count(order)).isEqualTo(1);
    }

    /** The container ends the request while the charge is still in progress. */
    @Test
    void requestThatTimesOut_isUnknownUnderFreeze() {
        String path = "/freeze/orders/timed-out";
        charges.hold(order);
        try {
            assertUnknown(ann.order(path, order, order));
            Eventually.assertHolds(() -> assertThat(charges.count(order)).isEqualTo(1));
            assertUnknown(ann.order(path, order, order));
        } finally {
            charges.release(order);
        }
        assertUnknown(ann.order(path, order, order));
        assertThat(charges.count(order)).isEqualTo(1);
    }

    /** The client has received a part of the response, and the handler does not continue. */
    @Test
    void streamThatTimesOut_isUnknownUnderFreeze() {
        String path = "/freeze/orders/timed-out-emitter";
        charges.hold(order);
        try {
            assertThatThrownBy(() -> ann.order(path, order, order)).hasRootCauseInstanceOf(IOException.class);
            assertUnknown(ann.order(path, order, order));
        } finally {
            charges.release(order);
        }
        assertUnknown(ann.order(path, order, order));
        assertThat(charges.count(order)).isEqualTo(1);
    }

    @Test
    void streamThatTimesOut_runsAgainUnderRerun() {
        String path = "/rerun/orders/timed-out-emitter";
        charges.hold(order);
        try {
            assertThatThrownBy(() -> ann.order(path, order, order)).hasRootCauseInstanceOf(IOException.class);
        } finally {
            charges.release(order);
        }
        assertThat(ann.order(path, order, order).body()).isEqualTo("charge 2 of " + order);
    }

    @Test
    void requestThatTimesOut_runsAgainUnderRerun() {
        String path = "/rerun/orders/timed-out";
        charges.hold(order);
        try {
            assertThat(ann.order(path, order, order).statusCode()).isEqualTo(503);
            Eventually.assertHolds(() -> assertThat(charges.count(order)).isEqualTo(1));
        } finally {
            charges.release(order);
        }
        Eventually.assertHolds(
                () -> assertThat(ann.order(path, order, order).statusCode()).isEqualTo(201));
    }
}
