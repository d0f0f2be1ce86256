package dev.semel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.memory.MemoryStore;
import dev.semel.outbox.OutboxEntry.Status;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutboxProcessorTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final TestApi api = new TestApi();
    private final Outbox outbox = Outbox.on(new MemoryStore());

    @AfterEach
    void close() {
        api.close();
    }

    private OutboxEntry add(String lane, String text) {
        return outbox.add(OutboxRequest.post("/posts").lane(lane).json("{\"text\":\"" + text + "\"}"));
    }

    @Test
    void entries_areSentInTheOrderOfTheirLane() throws Exception {
        for (int i = 0; i < 2000; i++) {
            add("lane-" + i % 20, "t" + i);
        }
        long start = System.nanoTime();
        try (OutboxProcessor processor =
                OutboxProcessor.builder(outbox, api.uri()).start()) {
            assertThat(processor.awaitEmpty(LONG)).isTrue();
        }
        System.out.println("drained in " + (System.nanoTime() - start) / 1_000_000 + " ms");
        List<String> effects = api.effects();
        assertThat(effects).hasSize(2000);
        for (int lane = 0; lane < 20; lane++) {
            int mine = lane;
            assertThat(effects.stream().filter(text -> Integer.parseInt(text.replaceAll("\\D", "")) % 20 == mine))
                    .containsExactlyElementsOf(IntStream.range(0, 100)
                            .mapToObj(i -> "{\"text\":\"t" + (i * 20 + mine) + "\"}")
                            .toList());
        }
    }

    @Test
    void entryWhoseResponseIsLost_isSentAgainWithTheSameKey() throws Exception {
        OutboxEntry added = add("a", "hello");
        boolean[] lost = {false};
        api.respond(request -> {
            TestApi.Reply reply = api.execute(request);
            boolean first = !lost[0];
            lost[0] = true;
            return first ? TestApi.Reply.of(0) : reply;
        });
        try (OutboxProcessor processor =
                OutboxProcessor.builder(outbox, api.uri()).start()) {
            assertThat(processor.awaitEmpty(LONG)).isTrue();
        }
        assertThat(api.effects()).hasSize(1);
        assertThat(api.requests()).extracting(TestApi.Received::key).containsOnly(added.idempotencyKey());
        assertThat(outbox.find(added.id())).map(OutboxEntry::status).contains(Status.CONFIRMED);
    }
}
