package dev.semel.id;

import dev.semel.id.IdScheme.Lifetime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A scheme whose ids follow a prefix and a {@code -}. */
final class PrefixedScheme extends IdScheme {

    private final String head;
    private final IdScheme body;

    PrefixedScheme(String prefix, IdScheme body) {
        super(
                checked(prefix) + "-" + body.name(),
                union(prefix + "-", body.alphabet()),
                prefix.length() + 1 + body.minLength(),
                prefix.length() + 1 + body.maxLength());
        this.head = prefix + "-";
        this.body = body;
    }

    private static String checked(String prefix) {
        Fault fault = TextFormat.WORD.fault(prefix);
        if (fault == null && prefix.length() > LONGEST_PREFIX) {
            fault = Fault.ofLength(prefix);
        }
        if (fault != null) {
            throw new MalformedException("prefix", prefix, fault, "1 to " + LONGEST_PREFIX + " of 0-9A-Za-z_");
        }
        return prefix;
    }

    private static String union(String some, String others) {
        StringBuilder union = new StringBuilder(others);
        some.chars().filter(c -> union.indexOf(Character.toString(c)) < 0).forEach(c -> union.append((char) c));
        return union.toString();
    }

    @Override
    public String mint() {
        return head + body.mint();
    }

    @Override
    public String mintAt(Instant time) {
        return head + body.mintAt(time);
    }

    @Override
    @Nullable ParsedId decode(String text) {
        if (text.length() > maxLength() || !text.startsWith(head)) {
            return null;
        }
        ParsedId id = body.decode(text.substring(head.length()));
        return id == null ? null : new ParsedId(this, id.high(), id.low());
    }

    @Override
    Fault explain(String text) {
        if (!text.startsWith(head)) {
            return new Fault(text.isEmpty() ? -1 : 0, "does not begin with " + head);
        }
        Fault fault = body.explain(text.substring(head.length()));
        return fault.at() < 0 ? fault : new Fault(fault.at() + head.length(), fault.problem());
    }

    @Override
    Fault layoutFault(String text) {
        throw new AssertionError("explained before: " + text);
    }

    @Override
    String text(long high, long low) {
        return head + body.text(high, low);
    }

    @Override
    @Nullable Instant time(long high, long low) {
        return body.time(high, low);
    }

    @Override
    int version() {
        return body.version();
    }

    @Override
    long number(long low) {
        return body.number(low);
    }

    @Override
    String random(long high, long low) {
        return body.random(high, low);
    }

    @Override
    public String expected() {
        return head + " and " + body.expected();
    }

    @Override
    public String summary() {
        return head + "… and " + body.summary();
    }

    @Override
    public boolean isSortable() {
        return body.isSortable();
    }

    @Override
    public int randomBits() {
        return body.randomBits();
    }

    @Override
    public Lifetime lifetime() {
        return body.lifetime();
    }

    @Override
    public boolean isCounted() {
        return body.isCounted();
    }

    @Override
    public IdScheme drawingFrom(LongSupplier numbers) {
        return body.drawingFrom(numbers).prefixed(head.substring(0, head.length() - 1));
    }

    @Override
    public IdScheme withClock(InstantSource clock) {
        return body.withClock(clock).prefixed(head.substring(0, head.length() - 1));
    }
}
