package dev.semel.once;

import java.util.concurrent.CompletionStage;

/**
 * The result of one step of a call: an outcome, an operation that completes later, or a lost race, after which the key is looked up again.
 */
sealed interface Step {

    /** Another call, an operator or a sweep changed the key since it was looked up. */
    Step LOST_RACE = new LostRace();

    /** The step has found the outcome of the call. */
    record Done(Outcome outcome) implements Step {}

    /** The step has started an operation that completes later. */
    record Pending(CompletionStage<Outcome> outcome) implements Step {}

    /** The step was overtaken by another write to the key; see {@link #LOST_RACE}. */
    record LostRace() implements Step {}

    static Step done(Outcome outcome) {
        return new Done(outcome);
    }
}
