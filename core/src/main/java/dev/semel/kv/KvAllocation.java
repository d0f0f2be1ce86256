package dev.semel.kv;

import dev.semel.document.ShortIdAllocator.Rung;
import dev.semel.json.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The attempts of one request: random ids, by the rungs of a ladder, until one is allocated. Not thread-safe. */
final class KvAllocation {

    private final KvProtocol protocol;
    private final List<Rung> ladder;
    private final Candidates candidates;
    private int rung;
    private int tries;
    private int slow;
    private String nonce = "";
    private @Nullable KvAttempt attempt;

    /** Makes what is random in an attempt. */
    interface Candidates {

        /** Returns random letters. */
        String nonce(int letters);

        /** Returns the value of a claim, which is unique to the attempt. */
        Json claim(String nonce);

        /** Returns the value of the post of the attempt whose claim was made last. */
        Json post(String nonce);
    }

    KvAllocation(KvProtocol protocol, List<Rung> ladder, Candidates candidates, long now) {
        this.protocol = protocol;
        this.ladder = ladder;
        this.candidates = candidates;
        tryNext(now);
    }

    /** Returns the current attempt; null if all have failed. */
    @Nullable KvAttempt attempt() {
        return attempt;
    }

    /** Returns the letters of the current attempt. */
    String nonce() {
        return nonce;
    }

    /** Returns how many attempts were abandoned because they took longer than their bounds. */
    int slowAttempts() {
        return slow;
    }

    /** Continues with an attempt that has taken a step: the next one, if its id is not available. */
    void continueWith(KvAttempt stepped, long now) {
        attempt = stepped;
        if (stepped.step() == KvStep.TOO_SLOW) {
            slow++;
        }
        if (stepped.step() == KvStep.TAKEN || stepped.step() == KvStep.TOO_SLOW) {
            tryNext(now);
        }
    }

    private void tryNext(long now) {
        if (tries == ladder.get(rung).tries()) {
            rung++;
            tries = 0;
        }
        if (rung == ladder.size()) {
            attempt = null;
            return;
        }
        tries++;
        nonce = candidates.nonce(ladder.get(rung).letters());
        attempt = KvAttempt.start(protocol, candidates.claim(nonce), candidates.post(nonce), now);
    }
}
