package dev.semel.boot;

import static dev.semel.boot.Customer.isReplay;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A request with a key gets the same response as one without, and so does its retry. */
class ResponseTest {

    private final Charges charges = Environment.charges();
    private final Customer ann = Environment.ann();
    private final String order = Environment.newOrder();

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    /** Returns a body without what differs between two responses of the same handler. */
    private static String body(HttpResponse<String> response) {
        return response.body()
                .replaceAll("\"timestamp\":\"[^\"]*\"", "\"timestamp\":…")
                .replaceAll("charge \\d of", "charge of");
    }

    @ParameterizedTest
    @ValueSource(strings = {"include", "forward", "entity", "flushed", "missing", "gone", "broken", "orders/sync", "orders/future", "orders/deferred", "orders/stream", "servlet/complete"})
    void requestWithAKey_hasTheSameResponse(String handler) {
        String path = "/freeze/" + handler;
        HttpResponse<String> plain = ann.order(path, null, order);
        HttpResponse<String> keyed = ann.order(path, order, order);
        assertThat(keyed.statusCode()).isEqualTo(plain.statusCode());
        assertThat(body(keyed)).isEqualTo(body(plain));
        for (String name : new String[] {"Content-Type", "Location"}) {
            assertThat(header(keyed, name)).as(name).isEqualTo(header(plain, name));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "include, 200, charge 1 of ORDER[thank you].",
        "forward, 200, [thank you]",
        "entity, 201, '{\"paid\":\"charge 1 of ORDER\"}'",
        "flushed, 200, charge 1 of ORDER",
        "orders/sync, 200, charge 1 of ORDER",
    })
    void retry_isReplayed(String handler, int status, String text) {
        String path = "/freeze/" + handler;
        HttpResponse<String> first = ann.order(path, order, order);
        assertThat(first.statusCode()).isEqualTo(status);
        assertThat(first.body()).isEqualTo(text.replace("ORDER", order));
        for (int retry = 1; retry <= 2; retry++) {
            HttpResponse<String> again = ann.order(path, order, order);
            assertThat(again.statusCode()).isEqualTo(status);
            assertThat(again.body()).isEqualTo(first.body());
            assertThat(header(again, "Location")).isEqualTo(header(first, "Location"));
            assertThat(isReplay(again)).isTrue();
        }
        assertThat(charges.count(order)).isEqualTo(1);
    }

    /** Refusals of the application are recorded. */
    @ParameterizedTest
    @CsvSource({"missing, 404", "gone, 410", "orders/refused-future, 404"})
    void refusal_isReplayed(String handler, int status) {
        String path = "/freeze/" + handler;
        HttpResponse<String> first = ann.order(path, order, order);
        HttpResponse<String> again = ann.order(path, order, order);
        assertThat(first.statusCode()).isEqualTo(status);
        assertThat(again.statusCode()).isEqualTo(status);
        assertThat(isReplay(again)).isTrue();
        assertThat(charges.count(order)).isEqualTo(1);
    }

    /** Spring flushes these responses. */
    @ParameterizedTest
    @ValueSource(strings = {"entity", "flushed", "orders/sync"})
    void flushedResponse_hasItsExpiryAndLength(String handler) {
        HttpResponse<String> first = ann.order("/freeze/" + handler, order, order);
        assertThat(header(first, "Idempotency-Expires")).isNotEmpty();
        assertThat(header(first, "Content-Length"))
                .isEqualTo(String.valueOf(first.body().length()));
    }

    @Test
    void userWithAnAddressAsName_isServed() {
        Customer bob = Environment.customer("bob@example.com");
        HttpResponse<String> first = bob.order("/freeze/orders/sync", order, order);
        assertThat(first.statusCode()).isEqualTo(200);
        HttpResponse<String> again = bob.order("/freeze/orders/sync", order, order);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(isReplay(again)).isTrue();
        assertThat(ann.order("/freeze/orders/sync", order, order).body()).isEqualTo("charge 2 of " + order);
        assertThat(charges.count(order)).isEqualTo(2);
    }

    @Test
    void userWhoIsNotSignedIn_isRejectedBySpringSecurity() {
        assertThat(new Customer(ann.port(), "nobody").order("/freeze/orders/sync", order, order).statusCode())
                .isEqualTo(401);
    }
}
