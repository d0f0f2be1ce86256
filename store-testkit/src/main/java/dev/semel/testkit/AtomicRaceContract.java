package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.DocumentCollection;
import dev.semel.document.DocumentCollection.Page;
import dev.semel.id.IdSchemes;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.key.KeyTemplate;
import dev.semel.once.Once;
import dev.semel.once.Outcome;
import dev.semel.store.Response;
import dev.semel.store.Time;
import dev.semel.store.spi.DocumentStore;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Concurrent atomic operations: each key has exactly one effect. */
public interface AtomicRaceContract extends RaceFixture, DocumentFixture {

    /** One document for each operation that took effect. */
    DocumentCollection EFFECTS = DocumentCollection.of("effects", KeyTemplate.of("{id:tid62}"));

    /** Creates a document, and responds with its key. */
    private static Outcome leaveDocument(Once once, String key) {
        return once.atomic(Race.call(key), tx -> {
            var effect = EFFECTS.createMinted(tx, IdSchemes.TID62::mint, Json.of("\"" + key + "\""));
            return Response.of(effect.key());
        });
    }

    private static void assertOneEffectEach(DocumentStore store, Race.Tally tally) {
        Map<String, String> effects = new HashMap<>();
        @Nullable String next = null;
        do {
            Page page = EFFECTS.scan(store, KeyRange.ofPrefix(""), next, 1000);
            page.items().forEach(effect -> {
                String key = effect.data().text().replace("\"", "");
                assertThat(effects.put(key, effect.key()))
                        .as("effects of " + key)
                        .isNull();
            });
            next = page.next().orElse(null);
        } while (next != null);
        assertThat(effects).isEqualTo(tally.responses());
    }

    @Test
    default void atomicRace_hasOneEffectForEachKey() throws Exception {
        try (DocumentStore store = (DocumentStore) openAnother(Time.system())) {
            Race race = newRace(store, SETTINGS.lease());
            Race.Tally tally = race.run(key -> leaveDocument(race.server(), key));
            assertOneEffectEach(store, tally);
            assertThat(tally.executions().values()).hasSize(raceKeys()).allMatch(count -> count.get() == 1);
        }
    }

    @Test
    default void atomicRace_onAStoreThatFails_hasOneEffectForEachKey() throws Exception {
        try (DocumentStore store = (DocumentStore) openAnother(Time.system())) {
            FaultyStore faulty = new FaultyStore(store);
            faulty.failAtRandom(1, 0.05);
            Race race = newRace(faulty, SETTINGS.lease());
            Race.Tally tally = race.run(key -> leaveDocument(race.server(), key));
            assertOneEffectEach(store, tally);
            assertThat(tally.executions().values()).allMatch(count -> count.get() == 1);
        }
    }
}
