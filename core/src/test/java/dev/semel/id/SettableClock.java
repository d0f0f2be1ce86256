package dev.semel.id;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that returns the same time until it is set. */
final class SettableClock implements InstantSource {

    private volatile Instant now;

    SettableClock(String now) {
        this.now = Instant.parse(now);
    }

    void set(Instant now) {
        this.now = now;
    }

    void advance(Duration step) {
        now = now.plus(step);
    }

    @Override
    public Instant instant() {
        return now;
    }
}
