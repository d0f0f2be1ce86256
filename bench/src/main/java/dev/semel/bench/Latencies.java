package dev.semel.bench;

/** A histogram of latencies. Its buckets are no wider than a thirtieth of their values. */
public final class Latencies {

    private static final int BITS = 5;
    private static final int PER_OCTAVE = 1 << BITS;

    private final long[] buckets = new long[PER_OCTAVE * (Long.SIZE - BITS)];
    private long count;

    /** Adds the latency of one call. */
    public void add(long nanos) {
        buckets[bucket(Math.max(0, nanos))]++;
        count++;
    }

    /** Adds all latencies of another histogram. */
    public void addAll(Latencies other) {
        for (int i = 0; i < buckets.length; i++) {
            buckets[i] += other.buckets[i];
        }
        count += other.count;
    }

    /** Returns the number of calls. */
    public long count() {
        return count;
    }

    /** Returns a quantile, as the middle of its bucket. */
    public double quantile(double share) {
        long left = (long) Math.ceil(share * count);
        for (int i = 0; i < buckets.length; i++) {
            left -= buckets[i];
            if (left <= 0) {
                return (lowest(i) + lowest(i + 1)) / 2.0;
            }
        }
        return Double.NaN;
    }

    /** Small values have a bucket each. Each octave above has the same number of buckets. */
    private static int bucket(long nanos) {
        int octave = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(nanos) - BITS - 1);
        return octave * PER_OCTAVE + (int) (nanos >>> octave);
    }

    private static long lowest(int bucket) {
        int octave = Math.max(0, bucket / PER_OCTAVE - 1);
        return (long) (bucket - octave * PER_OCTAVE) << octave;
    }
}
