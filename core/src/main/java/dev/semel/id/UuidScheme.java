package dev.semel.id;

import org.jspecify.annotations.Nullable;

/** A scheme of UUIDs: one version of RFC 9562 in one encoding. */
abstract class UuidScheme extends IdScheme {

    private static final long VARIANT = 0x8000_0000_0000_0000L;

    final Randomness random;
    private final int version;
    final UuidEncoding encoding;

    UuidScheme(String name, int version, UuidEncoding encoding, Randomness random) {
        super(name, encoding.alphabet, encoding.length, encoding.length);
        this.version = version;
        this.encoding = encoding;
        this.random = random;
    }

    /** Encodes an id, after setting the bits of version and variant. */
    final String mint(long high, long low, Randomness.Slot slot) {
        return encoding.encode((high & ~0xF000L) | version << 12, (low & ~(3L << 62)) | VARIANT, slot.scratch);
    }

    @Override
    @Nullable ParsedId decode(String text) {
        return encoding.read(this, version, text);
    }

    @Override
    final Fault layoutFault(String text) {
        return encoding.fault(this, text);
    }

    @Override
    final String text(ParsedId id) {
        return encoding.encode(id.high(), id.low(), new byte[encoding.length]);
    }

    @Override
    final boolean isUuid() {
        return true;
    }

    @Override
    int version(ParsedId id) {
        return version;
    }

    @Override
    public String expected() {
        return encoding.expected + ", a UUID of version " + version;
    }
}
