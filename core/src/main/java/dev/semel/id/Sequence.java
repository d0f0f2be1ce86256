package dev.semel.id;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Where counted ids get their numbers. A store implements this durably; numbers are never handed out twice, rise, and may
 * leave gaps if the implementation says so.
 */
@FunctionalInterface
public interface Sequence {

    /** The next number, from 1 on unless the sequence was told otherwise. */
    long next();

    /** Counts in memory: unique within this object, forgotten with it. */
    static Sequence countingFrom(long first) {
        AtomicLong next = new AtomicLong(first);
        return next::getAndIncrement;
    }
}
