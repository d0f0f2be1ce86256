package dev.semel.outbox;

import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a processor.
 *
 * @param api the address against which endpoints are resolved
 * @param tokens null if requests are sent without a token
 * @param parallel how many lanes are sent at the same time
 * @param timeout for a request and its response, and for the token supplier
 * @param proof decides which responses come from the API
 * @param keyLife how long the API keeps keys, until that is learned
 * @param tombstoneLife how long the API keeps tombstones, from the end of the key's life on
 * @param canAsk whether the API can be asked about a key
 * @param giveUpAttempts the most attempts; null for no limit
 * @param giveUpAge the greatest age; null for no limit
 */
record ProcessorSettings(
        URI api,
        @Nullable TokenSupplier tokens,
        int parallel,
        Duration timeout,
        Proof proof,
        Duration keyLife,
        Duration tombstoneLife,
        boolean canAsk,
        IfExpired ifExpired,
        @Nullable Integer giveUpAttempts,
        @Nullable Duration giveUpAge) {}
