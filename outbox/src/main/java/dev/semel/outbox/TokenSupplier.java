package dev.semel.outbox;

import org.jspecify.annotations.Nullable;

/** Supplies the bearer token that requests are sent with. It may block, and is called by one thread at a time. */
@FunctionalInterface
public interface TokenSupplier {

    /**
     * Returns a token.
     *
     * @param rejected the token that the API has rejected; null for the first call. A token equal to it is not sent again at once
     * @throws Exception if there is no token now. The entries stay in the outbox, and are sent after a backoff
     */
    String token(@Nullable String rejected) throws Exception;
}
