package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.DocumentCollection;
import dev.semel.document.DocumentCollection.Page;
import dev.semel.document.ShortIdAllocator;
import dev.semel.document.ShortIdAllocator.Rung;
import dev.semel.id.DayNonceScheme;
import dev.semel.id.IdSchemes;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.key.KeyTemplate;
import dev.semel.store.Document;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The allocation of a short id never overwrites an existing document. */
public interface AllocationContract extends DocumentFixture {

    /** Posts, by their short ids. */
    DocumentCollection POSTS = DocumentCollection.of("posts", KeyTemplate.of("post:{id:day-nonce}"));

    private static Json post(String id, String token) {
        return Json.of("{\"id\":\"" + id + "\",\"allocToken\":\"" + token + "\"}");
    }

    private static ShortIdAllocator allocator(List<Rung> ladder) {
        return new ShortIdAllocator(POSTS, id -> "post:" + id, IdSchemes.DAY_NONCE, ladder);
    }

    private Optional<Document> allocate(ShortIdAllocator allocator) {
        Instant requestedAt = time().instant();
        return transactions().run(tx -> allocator.allocate(tx, requestedAt, AllocationContract::post));
    }

    /** Takes all ids of a day with a given number of letters. */
    private void takeAll(int letters, String day) {
        List<String> nonces = new ArrayList<>(List.of(""));
        for (int i = 0; i < letters; i++) {
            List<String> longer = new ArrayList<>();
            for (String nonce : nonces) {
                DayNonceScheme.SAFE_ALPHABET.chars().forEach(c -> longer.add(nonce + (char) c));
            }
            nonces = longer;
        }
        List<String> all = nonces;
        transactions().run(tx -> {
            for (String nonce : all) {
                POSTS.create(tx, "post:" + day + "-" + nonce, Json.of("\"taken\""));
            }
            return 0;
        });
    }

    @Test
    default void sixHundredPostsOfOneDay_byManyThreads_areAllThereUnderTheirOwnIds() throws Exception {
        Set<String> tokens = new HashSet<>();
        Set<String> keys = new HashSet<>();
        ExecutorService threads = Executors.newFixedThreadPool(16);
        try {
            List<Future<Optional<Document>>> posts = new ArrayList<>();
            for (int i = 0; i < 600; i++) {
                posts.add(threads.submit(() -> allocate(allocator(ShortIdAllocator.LADDER))));
            }
            for (Future<Optional<Document>> post : posts) {
                Document created = post.get().orElseThrow();
                assertThat(keys.add(created.key())).isTrue();
                assertThat(created.key()).matches("post:260107-[bcdfghjkmnpqrstvwxyz]{2,3}");
                assertThat(tokens.add(created.data().text().replaceAll(".*allocToken", "")))
                        .isTrue();
                assertThat(POSTS.read(documents(), created.key())).contains(created);
            }
        } finally {
            threads.shutdownNow();
        }
        Page page = POSTS.scan(documents(), KeyRange.ofPrefix("post:260107-"), null, 1000);
        assertThat(page.items()).hasSize(600).allMatch(document -> document.version() == 1);
    }

    @Test
    default void takenId_isSkipped_andLeftAsItIs() {
        takeAll(2, "260107");
        Document created = allocate(allocator(ShortIdAllocator.LADDER)).orElseThrow();
        assertThat(created.key()).matches("post:260107-[a-z]{3}");
        assertThat(POSTS.read(documents(), "post:260107-bc"))
                .map(Document::data)
                .contains(Json.of("\"taken\""));
    }

    @Test
    default void allTaken_failsAfterTheWholeLadder_andWritesNothing() {
        takeAll(2, "260107");
        assertThat(allocate(allocator(List.of(new Rung(2, 10))))).isEmpty();
        assertThat(POSTS.scan(documents(), KeyRange.ofPrefix("post:"), null, 1000)
                        .items())
                .hasSize(400)
                .allMatch(document -> document.data().equals(Json.of("\"taken\"")));
    }

    @Test
    default void day_isThatOfTheRequest_howeverLongItTakes() {
        time().setClock(Instant.parse("2026-01-07T23:59:59.999Z"));
        Instant requestedAt = time().instant();
        Optional<Document> created = transactions().run(tx -> {
            time().advance(Duration.ofSeconds(5));
            return allocator(ShortIdAllocator.LADDER).allocate(tx, requestedAt, AllocationContract::post);
        });
        assertThat(created.orElseThrow().key()).startsWith("post:260107-");
        Instant yesterday = time().instant().minus(Duration.ofDays(1));
        assertThat(transactions()
                        .<Optional<Document>, RuntimeException>run(tx ->
                                allocator(ShortIdAllocator.LADDER).allocate(tx, yesterday, AllocationContract::post))
                        .orElseThrow()
                        .key())
                .startsWith("post:260107-");
        assertThat(allocate(allocator(ShortIdAllocator.LADDER)).orElseThrow().key())
                .startsWith("post:260108-");
    }
}
