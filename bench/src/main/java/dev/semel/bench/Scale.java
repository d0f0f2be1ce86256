package dev.semel.bench;

import dev.semel.bench.Contest.Effort;
import java.util.stream.LongStream;

/**
 * The size of a benchmark of a store.
 *
 * @param effort length of each contest
 * @param keys number of keys in the largest store
 * @param smallKeys number of keys in the small store, with which larger ones are compared; at most {@code keys}
 */
public record Scale(Effort effort, long keys, long smallKeys) {

    public Scale {
        smallKeys = Math.min(keys, smallKeys);
    }

    /** Returns the numbers of keys at which a store is measured: that of the small store, then each ten times the last, up to {@code keys}. */
    public long[] sizes() {
        return LongStream.concat(
                        LongStream.iterate(smallKeys, size -> size < keys, size -> size * 10), LongStream.of(keys))
                .toArray();
    }
}
