package dev.semel.testkit.client;

/** A mistake of a client, with the scenario that finds it. */
enum Flaw {
    CONFIRMS_ON_ANY_200("captive_portal_confirms", "a1 took effect 0 times, not 1"),
    MINTS_A_KEY_FOR_EACH_TRY("response_lost_after_commit", "a1 has 3 keys"),
    KEEPS_KEYS_IN_MEMORY_ONLY("client_killed_around_a_response", " took effect 2 times, not 1"),
    MINTS_TRANSACTION_IDS_FOR_EACH_TRY("response_lost_after_commit", "a1 has 3 transaction ids"),
    IGNORES_LANES("request_lost", "was sent after a2, which follows it"),
    SENDS_AHEAD_IN_LANES("slow_network", "of the same lane was in progress"),
    FOLLOWS_REDIRECTS("redirected", "a1 took effect 0 times, not 1"),
    LOSES_ENTRIES_WHEN_KILLED("client_killed_around_a_request", "a2 is gone, not confirmed"),
    FAILS_ON_ANY_403("captive_portal_rejects", "a1 is failed (403 "),
    FAILS_WITHOUT_A_RESPONSE("request_lost", "a1 is failed (no response), not confirmed"),
    FAILS_ON_401("token_expired", "a1 is failed (401), not confirmed"),
    STOPS_ALL_LANES("rejected", "rejected has not settled; "),
    RETRIES_WHAT_IS_FINAL("rejected", "a2 was sent 5 times, not 1 to 1 times"),
    IGNORES_RETRY_AFTER("busy_with_retry_after", "not PT5S after it"),
    READS_NO_DATES("busy_until_a_date", "not PT4S after it"),
    RETRIES_AT_ONCE("busy_without_retry_after", "not PT0.5S after it"),
    SENDS_BLINDLY_AFTER_THE_LIFE_OF_KEYS("offline_for_25_hours_after_commit", "a1 took effect 2 times, not 1"),
    SENDS_BLINDLY_AFTER_THE_LIFE_OF_TOMBSTONES("offline_for_31_days", "a1 is confirmed, not failed"),
    SENDS_AGAIN_WHEN_THE_OUTCOME_IS_UNKNOWN_WITH_A_NEW_KEY("outcome_unknown", "a1 took effect 2 times, not 1"),
    FAILS_WHEN_THE_OUTCOME_IS_UNKNOWN("outcome_unknown", "a1 is failed (409 "),
    SENDS_WITH_ONE_KEY_FOR_ALL("no_faults", " has the key of ");

    private final String scenario;
    private final String violation;

    Flaw(String scenario, String violation) {
        this.scenario = scenario;
        this.violation = violation;
    }

    /** Returns a scenario in which a client with this mistake does something wrong. */
    String scenario() {
        return scenario;
    }

    /** Returns a part of the violation. */
    String violation() {
        return violation;
    }
}
