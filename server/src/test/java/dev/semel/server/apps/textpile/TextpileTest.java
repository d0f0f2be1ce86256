package dev.semel.server.apps.textpile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.DocumentCollection;
import dev.semel.document.Transactions;
import dev.semel.id.DayNonceScheme;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.memory.MemoryStore;
import dev.semel.server.AppDriver;
import dev.semel.server.AppDriver.Reply;
import dev.semel.testkit.ControlledTime;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TextpileTest {

    private static final String SHORT = "[bcdfghjkmnpqrstvwxyz]{2}";
    private static final DocumentCollection POSTS = DocumentCollection.of("textpile", KeyTemplate.of("post:{id}"));

    private final ControlledTime time = new ControlledTime();
    private final MemoryStore store = new MemoryStore(time, 64 << 20);
    private final Transactions transactions = new Transactions(store, time);
    private final AppDriver app = new AppDriver(transactions, new Textpile(store, 3));

    @Test
    void tenThousandSubmitsOverDays_haveIdsOfTheirDay() {
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            String day = DayNonceScheme.formatDayUTC(time.instant());
            Reply reply = app.post("ann", "/api/submit", "{\"body\":\"text " + i + "\"}");
            assertThat(reply.status()).isEqualTo(201);
            String id = reply.at("id").stringValue();
            assertThat(id).matches(day + "-[bcdfghjkmnpqrstvwxyz]{2,3}");
            assertThat(ids.add(id)).isTrue();
            assertThat(app.get("bob", "/api/posts/" + id).at("body").stringValue())
                    .isEqualTo("text " + i);
            time.advance(Duration.ofMinutes(2)); // 720 a day exceed the number of ids with two letters
        }
        assertThat(ids)
                .anyMatch(id -> id.matches("[0-9]{6}-" + SHORT))
                .anyMatch(id -> id.matches("[0-9]{6}-" + SHORT + "."));
    }

    @Test
    void submitsAtTheSameMoment_overwriteNothing() throws Exception {
        List<String> ids = AppDriver.race(
                32,
                thread -> app.post("ann", "/api/submit", "{\"body\":\"text " + thread + "\"}")
                        .at("id")
                        .stringValue());
        assertThat(ids).doesNotHaveDuplicates();
        for (int i = 0; i < ids.size(); i++) {
            assertThat(app.get("ann", "/api/posts/" + ids.get(i)).at("body").stringValue())
                    .isEqualTo("text " + i);
        }
    }

    @Test
    void dayThatIsFull_isRejectedUntilTheNext_orGetsLongerIds() {
        for (char a : DayNonceScheme.SAFE_ALPHABET.toCharArray()) {
            for (char b : DayNonceScheme.SAFE_ALPHABET.toCharArray()) {
                take("" + a + b);
                for (char c : DayNonceScheme.SAFE_ALPHABET.toCharArray()) {
                    take("" + a + b + c);
                }
            }
        }
        Reply full = app.post("ann", "/api/submit", "{\"body\":\"text\"}");
        assertThat(full.status()).isEqualTo(503);
        assertThat(full.at("error").stringValue()).isEqualTo("allocation_failed");

        AppDriver longer = new AppDriver(transactions, new Textpile(store, 4));
        String id = longer.post("ann", "/api/submit", "{\"body\":\"text\"}")
                .at("id")
                .stringValue();
        assertThat(id).matches("[0-9]{6}-[bcdfghjkmnpqrstvwxyz]{4}");
        assertThat(app.get("bob", "/api/posts/" + id).at("body").stringValue()).isEqualTo("text");

        time.advance(Duration.ofDays(1));
        assertThat(app.post("ann", "/api/submit", "{\"body\":\"text\"}").status())
                .isEqualTo(201);
    }

    private void take(String nonce) {
        String key = "post:" + DayNonceScheme.formatDayUTC(time.instant()) + "-" + nonce;
        transactions.run(tx -> POSTS.create(tx, key, Json.of("{}")));
    }
}
