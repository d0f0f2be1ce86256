package dev.semel.id;

import dev.semel.id.IdScheme.Lifetime;

/** A scheme has no id left to give: its time or its numbers are over, or the clock is set to where it has none. */
public final class ExhaustedException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    ExhaustedException(String scheme, Object asked, Lifetime lifetime) {
        super(scheme + " has no id for " + asked + "; its lifetime is " + lifetime);
    }
}
