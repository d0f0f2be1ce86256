package dev.semel.id;

/** The schemes of random UUIDs: version 4 of RFC 9562. */
final class Uuid4Scheme extends UuidScheme {

    Uuid4Scheme(String name, UuidEncoding encoding, Randomness random) {
        super(name, 4, encoding, random);
    }

    @Override
    public String mint() {
        try (Randomness.Slot slot = random.borrow()) {
            return mint(slot.nextLong(), slot.nextLong(), slot);
        }
    }

    @Override
    String random(ParsedId id) {
        long upper = id.high() >>> 16 << 12 | (id.high() & 0xFFF); // 60 bits, then 62
        return hex(upper >>> 2, upper << 62 | (id.low() & (-1L >>> 2)), 122);
    }

    @Override
    public String summary() {
        return "122 random bits, " + encoding.summary;
    }

    @Override
    public boolean isSortable() {
        return false;
    }

    @Override
    public int randomBits() {
        return 122;
    }
}
