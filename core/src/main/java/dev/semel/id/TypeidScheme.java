package dev.semel.id;

import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * The scheme {@code typeid}, version 0.3 of its specification: a UUID in base 32, behind a prefix that names its type:
 * {@code user_01h455vb4pex5vsknk084sn02q}. This scheme has no prefix; {@link #prefixed} has one.
 *
 * <p>Minted ids are UUIDs of version 7. As the specification demands, 128 bits of any other kind are valid too, such as the nil UUID. They have
 * no time.
 */
final class TypeidScheme extends Uuid7Scheme {

    private static final int LONGEST_TYPE = 63;
    private static final Alphabet TYPE = new Alphabet("abcdefghijklmnopqrstuvwxyz_");

    TypeidScheme(InstantSource clock, Randomness random) {
        super("typeid", UuidEncoding.BASE32, clock, random);
    }

    @Override
    @Nullable ParsedId decode(String text) {
        return encoding.read(this, UuidEncoding.ANY, text);
    }

    private static boolean isSeven(ParsedId id) {
        return id.low() >>> 62 == 2 && (id.high() >>> 12 & 15) == VERSION;
    }

    @Override
    @Nullable Instant time(ParsedId id) {
        return isSeven(id) ? super.time(id) : null;
    }

    @Override
    int version(ParsedId id) {
        return id.low() >>> 62 == 2 ? (int) (id.high() >>> 12) & 15 : -1;
    }

    @Override
    String random(ParsedId id) {
        return isSeven(id) ? super.random(id) : "";
    }

    @Override
    public String expected() {
        return encoding.expected;
    }

    @Override
    char separator() {
        return '_';
    }

    /** The last separator ends the prefix, which may contain others. */
    @Override
    int prefixEnd(String text) {
        return text.lastIndexOf(separator());
    }

    @Override
    @Nullable Fault prefixFault(@Nullable String prefix) {
        if (prefix == null) {
            return Fault.missing();
        }
        if (prefix.isEmpty() || prefix.length() > LONGEST_TYPE) {
            return Fault.ofLength(prefix);
        }
        for (int i = 0; i < prefix.length(); i++) {
            boolean atAnEnd = i == 0 || i == prefix.length() - 1;
            if (TYPE.value(prefix.charAt(i)) < 0 || (atAnEnd && prefix.charAt(i) == separator())) {
                return Fault.ofCharacter(prefix, i);
            }
        }
        return null;
    }

    @Override
    String expectedPrefix() {
        return "1 to " + LONGEST_TYPE + " of a-z_, with a letter at both ends";
    }

    @Override
    public IdScheme withClock(InstantSource clock) {
        return new TypeidScheme(clock, random);
    }
}
