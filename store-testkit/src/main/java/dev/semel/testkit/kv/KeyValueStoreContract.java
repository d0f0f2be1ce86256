package dev.semel.testkit.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.id.MalformedException;
import dev.semel.json.Json;
import dev.semel.kv.KeyValueStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The contract of a {@link KeyValueStore} without staleness. The tests of a store implement this interface. */
public interface KeyValueStoreContract {

    /** Returns the store of this test, which is empty at the start. */
    KeyValueStore keyValueStore();

    /** Advances the clock by which values expire. */
    void advance(Duration step);

    private static Json json(String text) {
        return Json.of("\"" + text + "\"");
    }

    @Test
    default void missingKey_isEmpty() {
        assertThat(keyValueStore().get("post:260107-bc")).isEmpty();
    }

    @Test
    default void writtenValue_isReadByteForByte() {
        KeyValueStore store = keyValueStore();
        for (String text :
                List.of("{ \"b\" : 1.0, \"a\" : \"\u00e9\\n\ud83d\ude00\" }", "\"token\"", "null", "0", "[]")) {
            store.put("post:260107-bc", Json.of(text), null);
            assertThat(store.get("post:260107-bc")).contains(Json.of(text));
        }
    }

    @Test
    default void laterWrite_replacesTheValue_withoutACondition() {
        KeyValueStore store = keyValueStore();
        store.put("k", json("first"), null);
        store.put("k", json("second"), null);
        store.put("other", json("third"), null);
        assertThat(store.get("k")).contains(json("second"));
    }

    @Test
    default void deletedValue_isAbsent_andCanBeWrittenAgain() {
        KeyValueStore store = keyValueStore();
        store.put("k", json("first"), null);
        store.delete("k");
        assertThat(store.get("k")).isEmpty();
        store.delete("k");
        store.put("k", json("second"), null);
        assertThat(store.get("k")).contains(json("second"));
    }

    @Test
    default void valueWithTtl_isPresentForTheTtl_andAbsentAfterwards() {
        KeyValueStore store = keyValueStore();
        store.put("claim", json("mine"), Duration.ofSeconds(60));
        advance(Duration.ofSeconds(59));
        assertThat(store.get("claim")).contains(json("mine"));
        advance(Duration.ofSeconds(2));
        assertThat(store.get("claim")).isEmpty();
        store.put("claim", json("another's"), Duration.ofSeconds(60));
        assertThat(store.get("claim")).contains(json("another's"));
    }

    @Test
    default void laterWrite_replacesTheTtl() {
        KeyValueStore store = keyValueStore();
        store.put("renewed", json("1"), Duration.ofSeconds(60));
        store.put("kept", json("1"), Duration.ofSeconds(60));
        store.put("shortened", json("1"), null);
        advance(Duration.ofSeconds(40));
        store.put("renewed", json("2"), Duration.ofSeconds(60));
        store.put("kept", json("2"), null);
        store.put("shortened", json("2"), Duration.ofSeconds(60));
        advance(Duration.ofSeconds(40));
        assertThat(store.get("renewed")).contains(json("2"));
        advance(Duration.ofDays(30));
        assertThat(store.get("renewed")).isEmpty();
        assertThat(store.get("kept")).contains(json("2"));
        assertThat(store.get("shortened")).isEmpty();
    }

    @Test
    default void unusualKeys_areDistinct() {
        KeyValueStore store = keyValueStore();
        Set<String> keys = new HashSet<>(List.of(
                "a",
                "A",
                "a/b",
                "a%2Fb",
                "a+b",
                "a%20b",
                "a?b=c",
                "a#b",
                "a:b",
                "a;b",
                "\"'<>&\\{}|^~`",
                "k".repeat(KeyValueStore.LONGEST_KEY)));
        keys.forEach(key -> store.put(key, Json.of(String.valueOf(key.hashCode())), null));
        for (String key : keys) {
            assertThat(store.get(key)).as(key).contains(Json.of(String.valueOf(key.hashCode())));
        }
    }

    @Test
    default void malformedKey_isRejected() {
        for (String key : List.of("", "a b", "\u00e9", "a\n", "k".repeat(KeyValueStore.LONGEST_KEY + 1))) {
            assertThatThrownBy(() -> keyValueStore().get(key)).isInstanceOf(MalformedException.class);
            assertThatThrownBy(() -> keyValueStore().put(key, json("x"), null)).isInstanceOf(MalformedException.class);
            assertThatThrownBy(() -> keyValueStore().delete(key)).isInstanceOf(MalformedException.class);
        }
    }

    @Test
    default void concurrentWriters_leaveAValueThatOneHasWritten() throws Exception {
        KeyValueStore store = keyValueStore();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<?>> writers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                int writer = i;
                writers.add(threads.submit(() -> {
                    for (int n = 0; n < 20; n++) {
                        store.put("k", json("writer " + writer), n % 2 == 0 ? null : Duration.ofHours(1));
                    }
                }));
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(store.get("k").orElseThrow().text()).matches("\"writer [0-7]\"");
    }
}
