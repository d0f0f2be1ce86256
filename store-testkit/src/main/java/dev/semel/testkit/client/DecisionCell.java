package dev.semel.testkit.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import tools.jackson.databind.json.JsonMapper;

/**
 * A cell of the decision table: a response to an entry whose transaction id is {@value #CLIENT_TX_ID}, and what happens to the entry. A client
 * in any language is tested with the same cells. The decisions are those of the Java outbox, whose tests check this file.
 *
 * @param status the status of the response; 0 if there is none
 * @param headers the headers of the response
 * @param body the body of the response
 * @param decision {@code confirm}, {@code retry}, {@code refresh_token}, {@code ask_later}, {@code look_up} or {@code fail}
 * @param reason why it is sent again or has failed; empty for other decisions
 * @param atLeastMillis the shortest pause before it is sent again
 */
public record DecisionCell(
        int status, Map<String, String> headers, String body, String decision, String reason, long atLeastMillis) {

    /** The transaction id of the entry. */
    public static final String CLIENT_TX_ID = "tx-1";

    /** When the responses arrive, by the clock of the client. */
    public static final String ARRIVAL = "2026-01-07T12:00:00Z";

    private static final String RESOURCE = "decisions.json";

    /** Copies the headers, and sorts them. */
    public DecisionCell {
        headers = Collections.unmodifiableMap(new TreeMap<>(headers));
    }

    /** Returns the file with all cells. */
    public static String json() {
        try (InputStream in = Objects.requireNonNull(DecisionCell.class.getResourceAsStream(RESOURCE), RESOURCE)) {
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns all cells, in the order of the file. */
    public static List<DecisionCell> all() {
        return List.of(new JsonMapper().readValue(json(), DecisionCell[].class));
    }

    /** Returns the text of a file with cells. */
    public static String json(List<DecisionCell> cells) {
        JsonMapper mapper = new JsonMapper();
        StringBuilder json = new StringBuilder("[\n");
        for (DecisionCell cell : cells) {
            json.append(json.length() > 2 ? ",\n" : "").append(mapper.writeValueAsString(cell));
        }
        return json.append("\n]\n").toString();
    }
}
