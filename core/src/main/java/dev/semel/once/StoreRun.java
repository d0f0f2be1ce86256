package dev.semel.once;

import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.OnceStore.Lookup;
import java.util.Objects;

/** A run whose key is looked up in the store, in atomic or leased mode. */
abstract class StoreRun {

    final Engine engine;
    final Call call;

    StoreRun(Engine engine, Call call) {
        this.engine = engine;
        this.call = call;
    }

    /** Looks up the key and takes the action that {@link KeyState} gives. */
    final Step step() {
        Lookup found = engine.findToStart(call.key());
        KeyState state = KeyState.of(found);
        KeyState.Action action = state.action(Engine.isSamePayload(call, found), engine.settings.ifExpired());
        if (action != KeyState.Action.START) {
            IdempotencyRecord record = Objects.requireNonNull(found.record());
            return engine.respond(action, record);
        }
        return start(new Attempt(call, found, state, engine.settings));
    }

    private Step start(Attempt attempt) {
        InFlightCalls.InFlightCall mine = engine.inFlight.start(call);
        if (mine == null) {
            engine.inFlight.renew(call);
            return engine.inFlight.report(call, engine.inProgress());
        }
        Step step = null;
        try {
            step = attempt.quotaWait().isZero()
                    ? run(attempt, mine)
                    : Step.done(new Outcome.Limited(attempt.quotaWait()));
            return step;
        } finally {
            if (!(step instanceof Step.Pending)) {
                engine.inFlight.end(mine);
            }
        }
    }

    /** Runs the operation, unless the start is rejected, and records how it ended. If it is pending, it also ends the run. */
    abstract Step run(Attempt attempt, InFlightCalls.InFlightCall mine);
}
