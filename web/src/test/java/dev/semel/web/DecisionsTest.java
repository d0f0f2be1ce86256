package dev.semel.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import dev.semel.testkit.client.DecisionCell;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The decision table is that of the Java outbox. */
class DecisionsTest extends BrowserFixture {

    @Test
    void everyCell_isDecidedAsByTheJavaOutbox() {
        Page page = tab();
        Object wrong =
                page.evaluate("""
                async ([json, clientTxId, arrival]) => {
                  const { decide, semelProof } = await import("/assets/outbox/decisions.js");
                  const cells = JSON.parse(json);
                  const wrong = [];
                  for (const cell of cells) {
                    const reply = cell.status === 0
                      ? { kind: "lost", problem: "reset" }
                      : { kind: "received", status: cell.status, headers: new Headers(cell.headers), body: cell.body, at: Date.parse(arrival) };
                    const { kind, reason = "", atLeast = 0 } = decide({ clientTxId }, reply, semelProof);
                    if (kind !== cell.decision || reason !== cell.reason || atLeast !== cell.atLeastMillis) {
                      wrong.push(JSON.stringify(cell) + " is decided as " + [kind, reason, atLeast].join(" "));
                    }
                  }
                  return cells.length < 200 ? ["only " + cells.length + " cells"] : wrong;
                }""", List.of(DecisionCell.json(), DecisionCell.CLIENT_TX_ID, DecisionCell.ARRIVAL));
        assertThat((List<?>) wrong).isEmpty();
    }

    @Test
    void requestThatCannotBeCreated_fails_andARedirect_provesNothing() {
        Page page = tab();
        String decisions = run(
                page,
                "const { decide, semelProof } = await import('/assets/outbox/decisions.js');"
                        + " const redirect = { kind: 'received', status: 0, headers: new Headers(), body: '', at: 0, redirected: true };"
                        + " return JSON.stringify([{ kind: 'unsendable', problem: '' }, redirect].map((reply) => decide({}, reply, semelProof)))");
        assertThat(decisions)
                .isEqualTo("[{\"kind\":\"fail\",\"reason\":\"invalid\"},"
                        + "{\"kind\":\"retry\",\"reason\":\"redirected\",\"atLeast\":0}]");
    }
}
