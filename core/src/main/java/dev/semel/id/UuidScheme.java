package dev.semel.id;

import org.jspecify.annotations.Nullable;

/** UUIDs of one version of RFC 9562, in one spelling. */
abstract class UuidScheme extends IdScheme {

    private static final long VARIANT = 0x8000_0000_0000_0000L;

    final Randomness random;
    private final int version;
    final UuidSpelling spelling;

    UuidScheme(String name, int version, UuidSpelling spelling, Randomness random) {
        super(name, spelling.alphabet, spelling.length, spelling.length);
        this.version = version;
        this.spelling = spelling;
        this.random = random;
    }

    /** Spells an id, with the bits that every UUID of this version has in common put in their place. */
    final String mint(long high, long low, Randomness.Slot slot) {
        return spelling.spell((high & ~0xF000L) | version << 12, (low & ~(3L << 62)) | VARIANT, slot.scratch);
    }

    @Override
    final @Nullable ParsedId decode(String text) {
        return spelling.read(this, version, text);
    }

    @Override
    final Fault layoutFault(String text) {
        return spelling.fault(this, text);
    }

    @Override
    final String text(long high, long low) {
        return spelling.spell(high, low, new byte[spelling.length]);
    }

    @Override
    final int version() {
        return version;
    }

    @Override
    public final String expected() {
        return spelling.expected + ", a UUID of version " + version;
    }
}
