package dev.semel.id;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Every random bit of every id comes from here.
 *
 * <h2>Why not simply {@link SecureRandom}?</h2>
 *
 * <p>It is right, but on the usual platforms each call takes a process-wide lock and a good part of a microsecond; two
 * threads that mint ids get slower than one. So its output is used as a <em>key</em> and stretched: each refill draws a fresh
 * 256-bit key from {@code SecureRandom} and fills a buffer with the AES-CTR key stream under it. That stream cannot be told
 * from random bits without the key. Keys are never used twice, so the counter may start at zero each time. One draw from the
 * system then pays for a thousand ids.
 *
 * <h2>What an attacker learns</h2>
 *
 * <p>Ids that were handed out say nothing about those to come: that would take the key. Who can read the memory of the process
 * sees the current buffers, which is up to a thousand ids of each slot, and nothing from before or after. If a whole machine
 * is copied while it runs (a snapshot that is resumed twice), both copies hold the same rest of the same buffers, and part only
 * at the next refill: restart the process after such a copy.
 *
 * <h2>Why slots, and not one generator per thread?</h2>
 *
 * <p>A program may run a million virtual threads, and a buffer for each would be gigabytes; and what is kept per thread outlives
 * a web application that is taken down while its server's threads run on. There are instead some slots, several for each
 * processor. A thread takes the one that its number points to with one compare-and-set; if that is busy it tries the next; if
 * all are busy it makes one for itself and drops it afterwards. Nobody ever waits, so a thread that is stopped while it holds
 * a slot stops nobody else. Busy slots are rare: they are held for some tens of nanoseconds. (A slot owned by each platform thread
 * was tried, with a thread-local variable and without: it is no faster.)
 *
 * <p>A slot also lends its borrower a scratch buffer to spell the id in, so that the finished string is the only thing
 * allocated.
 */
final class Randomness {

    static final int BUFFER_BYTES = 8192;

    /** Longest text that can be spelled in a slot. */
    static final int SCRATCH_BYTES = 64;

    /** So many that two threads which run at the same time seldom share one; their buffers are made when first used. */
    private static final int MIN_SLOTS = 64;

    private static final int SLOTS_PER_PROCESSOR = 8;

    private static final Randomness SECURE = new Randomness(KeyStream::new);

    private final Slot[] slots;
    private final Supplier<? extends Consumer<byte[]>> sources;

    /** One source of bytes is made for each slot; a source is never used by two threads at a time. */
    Randomness(Supplier<? extends Consumer<byte[]>> sources) {
        this.sources = sources;
        int wanted =
                Math.max(MIN_SLOTS, SLOTS_PER_PROCESSOR * Runtime.getRuntime().availableProcessors());
        this.slots = new Slot[Integer.highestOneBit(wanted - 1) * 2]; // a power of two
        Arrays.setAll(slots, i -> new Slot(sources));
    }

    /** The process's one secure source. */
    static Randomness secure() {
        return SECURE;
    }

    /** Lends a slot to the calling thread until it is closed. */
    Slot borrow() {
        int mask = slots.length - 1;
        int first = (int) Thread.currentThread().getId();
        for (int i = 0; i < slots.length; i++) {
            Slot slot = slots[(first + i) & mask];
            if (slot.tryTake()) {
                return slot;
            }
        }
        return new Slot(sources);
    }

    /** The first bytes of a buffer as ASCII characters. */
    @SuppressWarnings("deprecation") // the constructor that knows no charset is a plain copy, and faster by a third
    static String text(byte[] ascii, int length) {
        return new String(ascii, 0, 0, length);
    }

    /** A buffer of random words and a scratch buffer, used by one thread at a time. */
    static final class Slot implements AutoCloseable {

        private static final VarHandle TAKEN;
        private static final VarHandle WORDS =
                MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

        static {
            try {
                TAKEN = MethodHandles.lookup().findVarHandle(Slot.class, "taken", boolean.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        /** Where an id is spelled before it becomes a string. */
        final byte[] scratch = new byte[SCRATCH_BYTES];

        private final Supplier<? extends Consumer<byte[]>> sources;

        @SuppressWarnings("UnusedVariable") // read and written through TAKEN
        private boolean taken;

        private int position;
        private byte[] words = {};
        private @Nullable Consumer<byte[]> source;

        // These keep two slots that the collector moved side by side from sharing a cache line, in which every write of
        // one thread would slow down the other.
        @SuppressWarnings("unused")
        private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;

        Slot(Supplier<? extends Consumer<byte[]>> sources) {
            this.sources = sources;
        }

        private boolean tryTake() {
            return TAKEN.compareAndSet(this, false, true);
        }

        @Override
        public void close() {
            TAKEN.setRelease(this, false);
        }

        /** 64 fresh random bits. */
        long nextLong() {
            if (position == words.length) {
                refill();
            }
            long word = (long) WORDS.get(words, position);
            position += Long.BYTES;
            return word;
        }

        /** A number from 0 to {@code bound - 1}, each equally likely: draws that would favour some are thrown away. */
        int below(int bound) {
            while (true) {
                long product = (nextLong() >>> 32) * bound;
                // The low half says how far into its share the draw fell; the first (2^32 mod bound) places of each
                // share are one too many.
                if ((product & 0xFFFF_FFFFL) >= (1L << 32) % bound) {
                    return (int) (product >>> 32);
                }
            }
        }

        /** The first characters of the scratch buffer. */
        String text(int length) {
            return Randomness.text(scratch, length);
        }

        private void refill() {
            if (source == null) {
                source = sources.get();
            }
            byte[] filled = words.length == 0 ? new byte[BUFFER_BYTES] : words;
            source.accept(filled); // if this throws, the old buffer stays used up and the next caller tries again
            words = filled;
            position = 0;
        }
    }

    /** Fills buffers with the AES-CTR key stream of a fresh key. */
    private static final class KeyStream implements Consumer<byte[]> {

        private static final SecureRandom SYSTEM = new SecureRandom();
        private static final byte[] ZEROS = new byte[BUFFER_BYTES];
        private static final IvParameterSpec START = new IvParameterSpec(new byte[16]);

        private final Cipher cipher;
        private final byte[] key = new byte[32];

        KeyStream() {
            try {
                cipher = Cipher.getInstance("AES/CTR/NoPadding");
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("This Java has no AES/CTR cipher", e);
            }
        }

        @Override
        public void accept(byte[] buffer) {
            try {
                SYSTEM.nextBytes(key);
                cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), START);
                int filled = cipher.update(ZEROS, 0, buffer.length, buffer, 0);
                if (filled != buffer.length) {
                    throw new IllegalStateException("AES/CTR filled " + filled + " bytes of " + buffer.length);
                }
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("AES/CTR failed", e);
            } finally {
                Arrays.fill(key, (byte) 0);
            }
        }
    }
}
