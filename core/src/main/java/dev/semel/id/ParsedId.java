package dev.semel.id;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a valid id holds. Equal if the scheme's name and the id are. */
public final class ParsedId {

    private final IdScheme scheme;
    private final long high;
    private final long low;

    ParsedId(IdScheme scheme, long high, long low) {
        this.scheme = scheme;
        this.high = high;
        this.low = low;
    }

    /** The scheme that read the id. */
    public IdScheme scheme() {
        return scheme;
    }

    /** The id as it is spelled. */
    public String text() {
        return scheme.text(high, low);
    }

    /** When the id was minted, as far as it says: to the second, millisecond or day. */
    public Optional<Instant> time() {
        return Optional.ofNullable(scheme.time(high, low));
    }

    /** The version of a UUID. */
    public OptionalInt version() {
        return scheme.version() < 0 ? OptionalInt.empty() : OptionalInt.of(scheme.version());
    }

    /** The number of an id that was counted. */
    public OptionalLong number() {
        long number = scheme.number(low);
        return number < 0 ? OptionalLong.empty() : OptionalLong.of(number);
    }

    /** The random field: in hexadecimal digits, or in letters where the scheme draws letters. */
    public Optional<String> random() {
        String random = scheme.random(high, low);
        return random.isEmpty() ? Optional.empty() : Optional.of(random);
    }

    /** The same 128 bits as the JDK knows them, where the id is a UUID. */
    public Optional<UUID> uuid() {
        return scheme.version() < 0 ? Optional.empty() : Optional.of(new UUID(high, low));
    }

    long high() {
        return high;
    }

    long low() {
        return low;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ParsedId that
                && high == that.high
                && low == that.low
                && scheme.name().equals(that.scheme.name());
    }

    @Override
    public int hashCode() {
        return 31 * (31 * scheme.name().hashCode() + Long.hashCode(high)) + Long.hashCode(low);
    }

    @Override
    public String toString() {
        return text();
    }
}
