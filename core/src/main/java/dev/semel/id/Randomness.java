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
 * The source of all random bits of ids: {@link SecureRandom}, expanded by AES in counter mode.
 *
 * <h2>Why not {@link SecureRandom} alone?</h2>
 *
 * <p>It is secure, but on most platforms each call takes a process-wide lock and a good part of a microsecond, so two threads that mint ids
 * are slower than one. Its output is therefore used as a <em>key</em>: each refill draws a fresh 256-bit key from {@code SecureRandom}, and
 * fills a buffer with the AES-CTR key stream under it. Without the key, that stream cannot be distinguished from random bits. No key is used
 * twice, so the counter may start at zero each time. One draw from the system pays for a thousand ids.
 *
 * <h2>What an attacker learns</h2>
 *
 * <p>Past ids reveal nothing about future ones, since that would take the key. An attacker who reads the memory of the process learns the
 * current buffers, up to a thousand ids for each slot, and nothing before or after. If a running machine is copied (a snapshot that is resumed
 * twice), both copies have the same buffers and mint the same ids until the next refill: restart the process after such a copy.
 *
 * <h2>Why slots, and not one generator per thread?</h2>
 *
 * <p>A program may run a million virtual threads, and a buffer for each would take gigabytes. Thread-local data also outlives a web application
 * that is undeployed while the threads of its server continue. Instead, there are several slots for each processor. A thread takes the slot
 * that its id maps to, with one compare-and-set. If that slot is busy, it tries the next; if all are busy, it makes a slot and drops it
 * afterwards. No thread ever waits, so a thread that is suspended while it holds a slot blocks no other. Busy slots are rare, since each is
 * held for some tens of nanoseconds. (A slot for each platform thread was measured, with and without a thread-local variable: it is no
 * faster.)
 *
 * <p>A slot also has a scratch buffer to encode the id in, so the finished string is the only allocation.
 */
final class Randomness {

    static final int BUFFER_BYTES = 8192;

    /** The longest text that a scratch buffer holds. */
    static final int SCRATCH_BYTES = 64;

    /** So many that two running threads seldom share a slot. Buffers are allocated when a slot is first used. */
    private static final int MIN_SLOTS = 64;

    private static final int SLOTS_PER_PROCESSOR = 8;

    private static final Randomness SECURE = new Randomness(KeyStream::new);

    private final Slot[] slots;
    private final Supplier<? extends Consumer<byte[]>> sources;

    /** @param sources makes a source of bytes for each slot; a source is never used by two threads at a time */
    Randomness(Supplier<? extends Consumer<byte[]>> sources) {
        this.sources = sources;
        int wanted =
                Math.max(MIN_SLOTS, SLOTS_PER_PROCESSOR * Runtime.getRuntime().availableProcessors());
        this.slots = new Slot[Integer.highestOneBit(wanted - 1) * 2]; // a power of two
        Arrays.setAll(slots, i -> new Slot(sources));
    }

    /** Returns the secure source of the process. */
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

    /** Returns the first bytes of a buffer as ASCII characters. */
    @SuppressWarnings("deprecation") // the constructor without a charset is a plain copy, and a third faster
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

        /** Buffer to encode an id in, before it becomes a string. */
        final byte[] scratch = new byte[SCRATCH_BYTES];

        private final Supplier<? extends Consumer<byte[]>> sources;

        @SuppressWarnings("UnusedVariable") // read and written through TAKEN
        private boolean taken;

        private int position;
        private byte[] words = {};
        private @Nullable Consumer<byte[]> source;

        // Padding against false sharing: two slots that the garbage collector has moved next to each other must not
        // share
        // a cache line.
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

        /** Returns 64 fresh random bits. */
        long nextLong() {
            if (position == words.length) {
                refill();
            }
            long word = (long) WORDS.get(words, position);
            position += Long.BYTES;
            return word;
        }

        /** Returns a number from 0 to {@code bound - 1}, uniformly distributed: draws that would favour some are rejected. */
        int below(int bound) {
            while (true) {
                long product = (nextLong() >>> 32) * bound;
                // Lemire's method: the low half is the position within the share of a number. The first (2^32 mod
                // bound)
                // positions of each share are rejected, so that all shares have the same size.
                if ((product & 0xFFFF_FFFFL) >= (1L << 32) % bound) {
                    return (int) (product >>> 32);
                }
            }
        }

        /** Returns the first characters of the scratch buffer. */
        String text(int length) {
            return Randomness.text(scratch, length);
        }

        private void refill() {
            if (source == null) {
                source = sources.get();
            }
            byte[] filled = words.length == 0 ? new byte[BUFFER_BYTES] : words;
            source.accept(filled); // if this throws, the buffer stays used up and the next caller refills it
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
