package dev.semel.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers that throw, wrapped by Spring and by the container. */
class FailureTest {

    private final Charges charges = Environment.charges();
    private final Customer ann = Environment.ann();
    private final String order = Environment.newOrder();
    private final List<LogRecord> logged = new CopyOnWriteArrayList<>();

    private void assertUnknown(String path) {
        assertThat(ann.order(path, order, order).statusCode()).isGreaterThanOrEqualTo(409);
        for (int retry = 1; retry <= 2; retry++) {
            HttpResponse<String> again = ann.order(path, order, order);
            assertThat(again.statusCode()).isEqualTo(409);
            assertThat(again.body()).contains("\"outcome_unknown\"");
        }
        assertThat(charges.count(order)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void unclearFailure_isUnknownUnderFreeze_andLoggedOnce(PageController.Unclear cause) {
        Logger logger = Logger.getLogger("dev.semel");
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord log) {
                logged.add(log);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        try {
            assertUnknown("/freeze/unclear/" + cause);
        } finally {
            logger.removeHandler(handler);
        }
        assertThat(logged.stream().filter(log -> log.getThrown() != null)).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void unclearFailure_runsAgainUnderRerun(PageController.Unclear cause) {
        String path = "/rerun/unclear/" + cause;
        assertThat(ann.order(path, order, order).statusCode()).isGreaterThanOrEqualTo(500);
        assertThat(ann.order(path, order, order).statusCode()).isGreaterThanOrEqualTo(500);
        assertThat(charges.count(order)).isEqualTo(2);
    }

    @Test
    void ordinaryException_runsAgain() {
        assertThat(ann.order("/freeze/broken", order, order).statusCode()).isEqualTo(500);
        assertThat(ann.order("/freeze/broken", order, order).statusCode()).isEqualTo(500);
        assertThat(charges.count(order)).isEqualTo(2);
    }
}
