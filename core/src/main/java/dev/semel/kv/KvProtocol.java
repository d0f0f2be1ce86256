package dev.semel.kv;

import java.util.List;

/**
 * The steps by which an id is allocated, in order, and their bounds in nanoseconds.
 *
 * <h2>Why it is safe</h2>
 *
 * <p>One register cannot give mutual exclusion without an assumption about time. This is Fischer's algorithm: read the register, write it,
 * wait until every other writer that has read it empty has also written it, and verify that it still has one's own value. Of the writers
 * that have read it empty, only the last to write finds its value. The others find that value, and give up.
 *
 * <p>Let A write its claim, and B read no claim.
 *
 * <ul>
 *   <li>If A's claim was not visible to B, and was applied at <i>t</i>: B has read before <i>t</i> + staleness, and has written its own
 *       claim before <i>t</i> + staleness + gap, or abandons the id. A verifies its claim at <i>t</i> + settle or later, and sees what was
 *       current at <i>t</i> + settle − staleness or later. Since settle &gt; gap + 2 × staleness, A sees B's claim and gives up.
 *   <li>If A's claim, sent at <i>t</i>, had expired: B has read after <i>t</i> + TTL. It reads the post after
 *       <i>t</i> + TTL + settle, and sees what was current after <i>t</i> + TTL + gap + staleness. A's post was applied before
 *       <i>t</i> + settle + 3 × gap: the claim, the checks before the post, and the post itself take a gap each. Since
 *       settle + 2 × gap &lt; TTL, B sees the post and gives up.
 *   <li>If A's claim was deleted, A's post was visible before. B sees it and gives up.
 * </ul>
 *
 * <p>A writer measures the gap itself, and abandons an id before it writes the post. So a writer that is slow or stops costs an id for the
 * TTL of a claim, and no post. Only how late a write is applied that its writer waits for no longer cannot be bounded by the writer. A post
 * must be applied before claims expire that are older than its own check, and a claim before it expires itself: otherwise it replaces a
 * valid claim by none. Both hold if every write is applied within TTL − 2 × gap − staleness after it was sent, or never.
 *
 * <p>{@code KvModelTest} explores all interleavings of two and three writers, and confirms all three bounds: there is no overwrite inside
 * them, and there is one if the settle time is not longer, or a write is applied later.
 *
 * <p>Posts must not be deleted within the staleness of the store.
 *
 * @param steps the states of an attempt before its result
 * @param bounded whether an attempt is abandoned if it takes longer than the bounds
 * @param settle how long to wait before a claim is verified
 * @param gap the longest time from a read to the write that depends on it
 * @param visible how long to wait until a written post is visible
 * @param claimTtl how long a claim is kept
 */
record KvProtocol(List<KvStep> steps, boolean bounded, long settle, long gap, long visible, long claimTtl) {

    /** Returns the protocol that is safe if the timing is. */
    static KvProtocol of(KvTiming timing) {
        long staleness = timing.staleness() == null ? 0 : timing.staleness().toNanos();
        return hardened(timing.settle().toNanos(), timing.gap().toNanos(), staleness, KvTiming.CLAIM_TTL.toNanos());
    }

    static KvProtocol hardened(long settle, long gap, long staleness, long claimTtl) {
        return new KvProtocol(KvStep.HARDENED, true, settle, gap, staleness, claimTtl);
    }

    /** Returns the steps of the Textpile specification as they are written. They overwrite posts. */
    static KvProtocol literal(long claimTtl) {
        return new KvProtocol(KvStep.LITERAL, false, 0, 0, 0, claimTtl);
    }
}
