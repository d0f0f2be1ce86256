package dev.semel.http;

import dev.semel.id.MalformedException;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.store.IdempotencyKey;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Entry point for integrations with web frameworks. Reads the headers and the body of a request with an {@code Idempotency-Key}, and
 * returns an {@link Exchange} that runs its handler once. Thread-safe.
 */
public final class HttpOnce {

    /** The header with the client's transaction id, in requests and responses. */
    public static final String CLIENT_TX_ID_HEADER = KeyHeaders.CLIENT_TX_ID;

    private static final Set<String> SAFE_METHODS = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    private final Once once;
    private final FilterSettings settings;
    private final Tracing tracing;
    private final Waiters waiters;

    public HttpOnce(Once once, FilterSettings settings, Tracing tracing) {
        this.once = Objects.requireNonNull(once, "once");
        this.settings = Objects.requireNonNull(settings, "settings");
        this.tracing = Objects.requireNonNull(tracing, "tracing");
        this.waiters = new Waiters(settings.waiting());
    }

    /** Returns whether a method is safe by RFC 9110. Keys of requests with a safe method are ignored. */
    public static boolean isSafe(String method) {
        return SAFE_METHODS.contains(method);
    }

    /**
     * Returns the value of {@value #CLIENT_TX_ID_HEADER} that every response to a request repeats, so that the client recognizes responses
     * that come from this API: the value as it was sent.
     *
     * @param headers returns all values of a header of the request; empty if it was not sent
     * @return null if the method is safe, or the request has no key or no well-formed transaction id
     */
    public static @Nullable String repeatedClientTxId(String method, Function<String, List<String>> headers) {
        return isSafe(method) ? null : KeyHeaders.repeatedClientTxId(headers);
    }

    public FilterSettings settings() {
        return settings;
    }

    /**
     * Reads the headers and the body of a request. Blocks until the body is complete.
     *
     * @param rule the rule of the request's route
     * @param user supplies the user who sends the request, {@linkplain IdempotencyKey#isUser a valid user name}, or null if the user is
     *     unknown; called only for requests with a key and routes that require one
     * @return null if the request has no key and the route requires none
     * @throws RejectedException if the user is unknown or has an invalid name, a header is missing or malformed, or the body cannot be read
     */
    public @Nullable Exchange begin(WebRequest request, Idempotency rule, Supplier<@Nullable String> user)
            throws RejectedException {
        boolean isKeyed = rule.mode() != Idempotency.Mode.NONE
                && (rule.keyRequired()
                        || rule.clientTxIdRequired()
                        || request.header(KeyHeaders.IDEMPOTENCY_KEY) != null);
        if (!isKeyed) {
            return null;
        }
        String sender = user.get();
        if (sender == null || sender.isEmpty()) {
            throw new RejectedException(IdempotencyProblem.UNAUTHENTICATED);
        }
        if (!IdempotencyKey.isUser(sender)) {
            throw new RejectedException(IdempotencyProblem.INVALID_USER);
        }
        KeyHeaders headers = KeyHeaders.of(request, rule);
        if (headers.key() == null) {
            return null;
        }
        IdempotencyKey key = key(sender, request, headers.key());
        Payload payload = Payload.of(request, settings.requestLimit());
        Call call = Call.of(key, payload.fingerprint()).waiting(KeyHeaders.maxWait(request));
        if (headers.clientTxId() != null) {
            call = call.withClientTxId(headers.clientTxId());
        }
        return new Exchange(once, waiters, tracing, rule, call, payload.body(), request);
    }

    private static IdempotencyKey key(String user, WebRequest request, String key) throws RejectedException {
        try {
            return new IdempotencyKey(user, request.method() + " " + PathText.normal(request.path()), key);
        } catch (MalformedException e) {
            throw new RejectedException(IdempotencyProblem.INVALID_PATH);
        }
    }
}
