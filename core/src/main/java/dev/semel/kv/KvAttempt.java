package dev.semel.kv;

import dev.semel.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to allocate one id, as a state machine: it names the next step, its driver takes the step and passes on what was read. It has
 * no store, clock or thread, so that the allocator, the simulation and the model checker of the tests drive the same code. Immutable.
 *
 * @param claim the value of the claim, which is unique to this attempt
 * @param post the value of the post, which is unique to this attempt
 * @param readAt when the attempt began to read the claim
 * @param claimedAt when its claim was written
 */
record KvAttempt(KvProtocol protocol, Json claim, Json post, KvStep step, long readAt, long claimedAt) {

    static KvAttempt start(KvProtocol protocol, Json claim, Json post, long now) {
        return new KvAttempt(protocol, claim, post, protocol.steps().get(0), now, now);
    }

    /**
     * Returns the attempt after its step.
     *
     * @param read the value that the step has read; null if it has read none
     * @param now nanoseconds since an arbitrary moment. The next step starts at this time or later
     */
    KvAttempt after(@Nullable Json read, long now) {
        return switch (step) {
            case LOOK_FOR_POST, READ_CLAIM -> read == null ? next(now) : ended(KvStep.TAKEN);
            case WRITE_CLAIM -> isLonger(readAt, protocol.gap(), now) ? ended(KvStep.TOO_SLOW) : next(now);
            case SETTLE -> now - claimedAt < protocol.settle() ? this : next(now);
            case VERIFY_CLAIM -> claim.equals(read) ? next(now) : ended(KvStep.TAKEN);
            case READ_POST -> {
                if (read != null) {
                    yield ended(KvStep.TAKEN);
                }
                boolean slow = isLonger(claimedAt, protocol.settle() + protocol.gap(), now);
                yield slow ? ended(KvStep.TOO_SLOW) : next(now);
            }
            case WRITE_POST -> hasClaimExpired(now) ? ended(KvStep.WRITTEN_TOO_LATE) : next(now);
            case AWAIT_VISIBILITY -> next(now);
            case VERIFY_POST -> {
                if (read == null && protocol.bounded()) {
                    yield ended(KvStep.NOT_VISIBLE); // under another id, it would be published twice
                }
                // A claim may belong to another writer after it has expired.
                KvStep ours = hasClaimExpired(now) ? KvStep.ALLOCATED : KvStep.DELETE_CLAIM;
                yield ended(post.equals(read) ? ours : KvStep.TAKEN);
            }
            case DELETE_CLAIM -> ended(KvStep.ALLOCATED);
            case ALLOCATED, TAKEN, TOO_SLOW, WRITTEN_TOO_LATE, NOT_VISIBLE ->
                throw new IllegalStateException("The attempt is over");
        };
    }

    /** Returns the attempt with {@link KvStep#TOO_SLOW} as its result. */
    KvAttempt abandoned() {
        return ended(KvStep.TOO_SLOW);
    }

    /** Returns how long to wait in the step {@link KvStep#SETTLE}. */
    long settlesFor(long now) {
        return claimedAt + protocol.settle() - now;
    }

    private boolean isLonger(long since, long bound, long now) {
        return protocol.bounded() && now - since > bound;
    }

    private boolean hasClaimExpired(long now) {
        return protocol.bounded() && now - readAt >= protocol.claimTtl();
    }

    private KvAttempt next(long now) {
        KvStep next = protocol.steps().get(protocol.steps().indexOf(step) + 1);
        return new KvAttempt(
                protocol,
                claim,
                post,
                next,
                next == KvStep.READ_CLAIM ? now : readAt,
                step == KvStep.WRITE_CLAIM ? now : claimedAt);
    }

    private KvAttempt ended(KvStep result) {
        return new KvAttempt(protocol, claim, post, result, readAt, claimedAt);
    }
}
