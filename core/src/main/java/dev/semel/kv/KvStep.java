package dev.semel.kv;

import java.util.EnumSet;
import java.util.List;

/** What an attempt to allocate an id does next, or its result. */
enum KvStep {
    /** Reads the post before anything is written, so that an id that is taken costs one read and no wait. */
    LOOK_FOR_POST,
    READ_CLAIM,
    WRITE_CLAIM,
    /** Waits until every other writer that has read no claim has written its own. */
    SETTLE,
    VERIFY_CLAIM,
    READ_POST,
    WRITE_POST,
    /** Waits until reads return the post. */
    AWAIT_VISIBILITY,
    VERIFY_POST,
    DELETE_CLAIM,

    /** The post is stored under the id. */
    ALLOCATED,
    /** Another writer has the id. */
    TAKEN,
    /** The attempt was abandoned, before it wrote the post, because it took longer than its bounds. */
    TOO_SLOW,
    /** The post was written so late that it may have replaced another. */
    WRITTEN_TOO_LATE,
    /** The post was written, and there is none when it is verified: the store is staler than its bound. */
    NOT_VISIBLE;

    static final List<KvStep> HARDENED = List.copyOf(EnumSet.range(LOOK_FOR_POST, DELETE_CLAIM));
    static final List<KvStep> LITERAL =
            List.of(WRITE_CLAIM, VERIFY_CLAIM, READ_POST, WRITE_POST, VERIFY_POST, DELETE_CLAIM);

    boolean isResult() {
        return compareTo(ALLOCATED) >= 0;
    }
}
