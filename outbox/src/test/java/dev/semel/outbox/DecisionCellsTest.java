package dev.semel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.client.DecisionCell;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The cells with which clients in other languages are tested are decided as by the table. */
class DecisionCellsTest {

    private static final Path FILE =
            Path.of("../store-testkit/src/main/resources/dev/semel/testkit/client/decisions.json");

    private static final int[] STATUSES = {
        200, 201, 202, 204, 299, 300, 302, 307, 308, 400, 401, 402, 403, 404, 405, 407, 408, 409, 410, 412, 413, 415,
        422, 425, 428, 429, 451, 500, 501, 502, 503, 504, 511, 599
    };

    private static final List<String> CODES =
            List.of("in_progress", "outcome_unknown", "key_expired", "payload_mismatch", "id_taken", "ended");

    private static final Map<String, String> PROOF = Map.of("X-Client-Tx-Id", DecisionCell.CLIENT_TX_ID);

    private static final List<Map<String, String>> PAUSES = List.of(
            Map.of("Retry-After", "7"),
            Map.of("Retry-After", "soon"),
            Map.of("Retry-After", "-5"),
            Map.of("Retry-After", "9999999999"),
            Map.of("Retry-After", "Wed, 21 Oct 2015 07:28:30 GMT", "Date", "Wed, 21 Oct 2015 07:28:00 GMT"),
            Map.of("Retry-After", "Wed, 7 Jan 2026 12:00:10 GMT"),
            Map.of("Retry-After", "Wed, 21 Oct 2015 07:28:30 GMT"));

    private static List<DecisionCell> cells() {
        List<DecisionCell> cells = new ArrayList<>();
        cells.add(cell(0, Map.of(), ""));
        for (int status : STATUSES) {
            cells.add(cell(status, PROOF, ""));
            cells.add(cell(status, Map.of("Content-Type", "text/html"), "<html>Welcome</html>"));
            cells.add(cell(status, Map.of("X-Client-Tx-Id", "of-another-entry"), "{}"));
        }
        cells.add(cell(201, Map.of("Idempotency-Replayed", "true"), ""));
        cells.add(cell(201, Map.of("Idempotency-Expires", "2026-01-08T12:00:00Z"), ""));
        cells.add(cell(201, Map.of("Idempotency-Replayed", "true", "X-Client-Tx-Id", "of-another-entry"), ""));
        for (int status : new int[] {200, 403, 409, 410, 422, 503}) {
            for (String code : CODES) {
                String body = "{\"code\":\"" + code + "\"}";
                cells.add(cell(status, PROOF, body));
                cells.add(cell(status, Map.of(), body));
            }
        }
        for (int status : new int[] {200, 403, 408, 409, 425, 429, 500, 503}) {
            for (Map<String, String> pause : PAUSES) {
                cells.add(cell(status, pause, ""));
            }
        }
        cells.add(cell(409, PROOF, "[\"in_progress\"]"));
        cells.add(cell(409, PROOF, "{\"code\":{\"code\":\"in_progress\"}}"));
        cells.add(cell(409, PROOF, "{\"code\":\"in_progress\""));
        return cells;
    }

    private static DecisionCell cell(int status, Map<String, String> headers, String body) {
        Decision decision = decide(status, headers, body);
        if (decision instanceof Decision.Retry retry) {
            return new DecisionCell(
                    status,
                    headers,
                    body,
                    "retry",
                    retry.reason().toString(),
                    retry.atLeast().toMillis());
        }
        String reason = decision instanceof Decision.Fail fail ? fail.reason().toString() : "";
        String name = decision.getClass().getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "_");
        return new DecisionCell(status, headers, body, name.toLowerCase(Locale.ROOT), reason, 0);
    }

    private static Decision decide(int status, Map<String, String> headers, String body) {
        Instant at = Instant.parse(DecisionCell.ARRIVAL);
        OutboxEntry entry = new OutboxEntry(
                "00000000000-00000000",
                "key",
                DecisionCell.CLIENT_TX_ID,
                "create_post",
                "POST",
                "/posts",
                "application/json",
                Payload.of("{}"),
                "lane",
                OutboxEntry.Status.PENDING,
                0,
                at,
                at,
                at,
                null,
                null,
                null);
        Map<String, List<String>> values = new HashMap<>();
        headers.forEach((name, value) -> values.put(name, List.of(value)));
        Reply reply = status == 0
                ? new Reply.Lost("reset")
                : new Reply.Received(status, HttpHeaders.of(values, (name, value) -> true), body, at);
        return DecisionTable.decide(entry, reply, Proof.SEMEL);
    }

    @Test
    void sharedCells_areDecidedAsByTheTable() throws IOException {
        if (Boolean.getBoolean("decisions.write")) {
            Files.writeString(FILE, DecisionCell.json(cells()));
        }
        assertThat(DecisionCell.all())
                .as(
                        "decisions.json is out of date; update it with: mvn -q -Dquick -pl outbox -am test -Dtest=DecisionCellsTest"
                                + " -Dsurefire.failIfNoSpecifiedTests=false -Ddecisions.write=true")
                .isEqualTo(cells());
    }

    @Test
    void sharedCells_haveAllDecisions() {
        assertThat(cells().stream().map(DecisionCell::decision).distinct())
                .containsExactlyInAnyOrder("retry", "confirm", "refresh_token", "ask_later", "look_up", "fail");
        assertThat(cells())
                .anyMatch(cell -> cell.atLeastMillis() == Duration.ofDays(1).toMillis());
    }
}
