package dev.semel.bench;

import dev.semel.bench.Contest.Effort;
import java.util.stream.LongStream;

/**
 * How much of a store is measured.
 *
 * @param effort of each contest
 * @param keys how many keys the largest store is filled with
 * @param smallKeys how many keys the small one is filled with, to which larger ones are compared; never more than {@code keys}
 */
public record Scale(Effort effort, long keys, long smallKeys) {

    public Scale {
        smallKeys = Math.min(keys, smallKeys);
    }

    /** Rising numbers of keys at which a store is measured: as many as the small one has, then each ten times the one before. */
    public long[] sizes() {
        return LongStream.concat(
                        LongStream.iterate(smallKeys, size -> size < keys, size -> size * 10), LongStream.of(keys))
                .toArray();
    }
}
