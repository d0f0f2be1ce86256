package dev.semel.id;

import dev.semel.id.IdScheme.Lifetime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A scheme whose ids follow a prefix and a separator. */
final class PrefixedScheme extends IdScheme {

    private final String prefix;

    /** The prefix and the separator. */
    private final String head;

    private final IdScheme body;

    /** @param prefix a valid one */
    PrefixedScheme(String prefix, IdScheme body) {
        this(prefix, prefix + body.separator(), body);
    }

    private PrefixedScheme(String prefix, String head, IdScheme body) {
        super(
                head + body.name(),
                union(head, body.alphabet()),
                head.length() + body.minLength(),
                head.length() + body.maxLength());
        this.prefix = prefix;
        this.head = head;
        this.body = body;
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
        return id == null ? null : id.in(this);
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
    String text(ParsedId id) {
        return head + body.text(id);
    }

    @Override
    @Nullable Instant time(ParsedId id) {
        return body.time(id);
    }

    @Override
    boolean isUuid() {
        return body.isUuid();
    }

    @Override
    int version(ParsedId id) {
        return body.version(id);
    }

    @Override
    long number(ParsedId id) {
        return body.number(id);
    }

    @Override
    String random(ParsedId id) {
        return body.random(id);
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
        return body.drawingFrom(numbers).prefixed(prefix);
    }

    @Override
    public IdScheme withClock(InstantSource clock) {
        return body.withClock(clock).prefixed(prefix);
    }
}
