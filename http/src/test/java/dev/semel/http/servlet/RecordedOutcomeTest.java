package dev.semel.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.http.Idempotency;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.spi.IdempotencyRecord;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What the record of a request shows of its response or its failure. */
@Tag("jdk")
@ParameterizedClass
@EnumSource(Container.class)
class RecordedOutcomeTest {

    private static final Idempotency LEASED = Idempotency.leased(IfAbandoned.RERUN);

    private final Container web;

    RecordedOutcomeTest(Container web) {
        this.web = web;
    }

    private void assertShown(Idempotency rule, TestApp.Handler handler, @Nullable Integer outcome, String cause)
            throws Exception {
        try (TestApp app = TestApp.on(web).rule(rule).serve(handler)) {
            app.post("/").key("k").send();
            IdempotencyRecord record = Objects.requireNonNull(
                    app.store.find(new IdempotencyKey("ann", "POST /", "k")).record());
            assertThat(record.outcome()).isEqualTo(outcome);
            assertThat(String.valueOf(record.cause())).isEqualTo(cause);
        }
    }

    @Test
    void response_isShownByItsStatus() throws Exception {
        for (Idempotency rule : List.of(Idempotency.atomic(), LEASED)) {
            for (int status : List.of(201, 302, 404)) {
                assertShown(rule, (request, response) -> response.setStatus(status), status, "null");
            }
        }
    }

    @Test
    void failure_isShownByItsStatus() throws Exception {
        for (Idempotency rule : List.of(Idempotency.atomic(), LEASED)) {
            TestApp.Handler failing = (request, response) -> {
                response.setStatus(502);
                response.getWriter().print("secret");
            };
            assertShown(rule, failing, 502, "The response has status 502");
        }
    }

    @Test
    void exception_isShownAsTheCause_withoutAStatus() throws Exception {
        for (Idempotency rule : List.of(Idempotency.atomic(), LEASED)) {
            TestApp.Handler failing = (request, response) -> {
                throw new IllegalStateException("broken");
            };
            assertShown(rule, failing, null, "IllegalStateException: broken");
        }
    }

    @Test
    void leasedResponse_thatIsNotFinal_isShownByItsStatus() throws Exception {
        assertShown(
                LEASED,
                (request, response) -> response.setStatus(429),
                429,
                "The response with status 429 is not final");
    }

    @Test
    void unclearResponse_thatMayRunAgain_isShownByItsStatusAndReason() throws Exception {
        TestApp.Handler unclear = (request, response) -> {
            IdempotencyFilter.outcomeUnknown(request);
            response.setStatus(504);
        };
        assertShown(
                LEASED, unclear, 504, "UnknownOutcomeException: The handler does not know whether it had its effect");
    }
}
