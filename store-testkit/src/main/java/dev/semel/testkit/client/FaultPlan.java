package dev.semel.testkit.client;

import java.util.List;
import java.util.SplittableRandom;

/** Chooses the fault of each attempt. Thread-safe. */
@FunctionalInterface
public interface FaultPlan {

    /**
     * Returns the fault of an attempt.
     *
     * @param request the request, which is the same in each attempt to send an entry, whatever its headers are
     * @param attempt 1 for the first attempt to send the request, and so on
     */
    Fault next(String request, int attempt);

    /**
     * Returns a plan that loses requests and responses at random. The same seed loses the same attempts, in whatever order they are sent.
     *
     * @param requests share of the requests that are lost
     * @param responses share of the responses that are lost, of the requests that are not
     */
    static FaultPlan random(long seed, double requests, double responses) {
        return (request, attempt) -> {
            SplittableRandom random = new SplittableRandom(seed ^ ((long) request.hashCode() << 20) ^ attempt);
            Fault.Kind kind = Fault.Kind.PASS;
            if (random.nextDouble() < requests) {
                kind = Fault.Kind.DROP_REQUEST;
            } else if (random.nextDouble() < responses) {
                kind = LOST_RESPONSES.get(random.nextInt(LOST_RESPONSES.size()));
            }
            Fault plain = Fault.of(kind);
            return new Fault(
                    kind,
                    plain.forward(),
                    random.nextBoolean(),
                    plain.delay(),
                    plain.status(),
                    plain.headers(),
                    plain.body(),
                    plain.kill(),
                    plain.at());
        };
    }

    /** The ways to lose a response. */
    List<Fault.Kind> LOST_RESPONSES = List.of(Fault.Kind.DROP_RESPONSE, Fault.Kind.CUT_HEAD, Fault.Kind.CUT_BODY);
}
