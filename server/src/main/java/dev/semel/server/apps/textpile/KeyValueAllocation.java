package dev.semel.server.apps.textpile;

import dev.semel.http.Problem;
import dev.semel.json.Json;
import dev.semel.kv.KvShortIdAllocator;
import dev.semel.server.web.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.BiFunction;

/** Allocates short ids on a key-value store. Requests wait for the settle time, so their number is limited. */
final class KeyValueAllocation {

    /** Half of the server's threads, on a JVM without virtual threads. */
    static final int MOST_WAITING = 100;

    private final KvShortIdAllocator allocator;
    private final Duration settle;
    private final Semaphore places = new Semaphore(MOST_WAITING);

    KeyValueAllocation(KvShortIdAllocator allocator, Duration settle) {
        this.allocator = allocator;
        this.settle = settle;
    }

    /**
     * Stores a post under a free id; empty if all ids that were tried are taken.
     *
     * @throws ProblemException if too many requests wait
     */
    Optional<Json> allocate(Instant requestedAt, BiFunction<String, String, Json> post) {
        if (!places.tryAcquire()) {
            throw new ProblemException(Problem.of(503, "busy", "Too busy")
                    .detailed("Too many short ids are being allocated; nothing was written")
                    .with(Problem.RETRY_AFTER, Math.max(1000, settle.toMillis())));
        }
        try {
            return allocator.allocate(requestedAt, post);
        } finally {
            places.release();
        }
    }
}
