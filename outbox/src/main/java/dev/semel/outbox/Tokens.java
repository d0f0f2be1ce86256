package dev.semel.outbox;

import dev.semel.store.Time;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The current token. One call of the supplier at a time serves all lanes (single flight). Thread-safe. */
final class Tokens {

    private static final Pattern TOKEN = Pattern.compile("[!-~]+");

    private final @Nullable TokenSupplier supplier;
    private final Duration timeout;
    private @Nullable String token; // guarded by this, as is the next
    private @Nullable CompletableFuture<String> refresh;

    /**
     * Creates a cache.
     *
     * @param supplier null if requests are sent without a token
     * @param timeout how long a lane waits for the supplier
     */
    Tokens(@Nullable TokenSupplier supplier, Duration timeout) {
        this.supplier = supplier;
        this.timeout = timeout;
    }

    /** Thrown if there is no token now. */
    static final class NoTokenException extends Exception {
        private static final long serialVersionUID = 1L;

        NoTokenException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * Returns a token; null if requests are sent without one.
     *
     * @param rejected a token that the API has rejected, so that another one is needed; null for any
     */
    @Nullable String get(@Nullable String rejected) throws NoTokenException, InterruptedException {
        TokenSupplier source = supplier;
        if (source == null) {
            return null;
        }
        CompletableFuture<String> next;
        synchronized (this) {
            if (token != null && !token.equals(rejected)) {
                return token;
            }
            if (refresh == null) {
                CompletableFuture<String> result = new CompletableFuture<>();
                try {
                    Time.threads().execute(() -> refresh(source, rejected, result));
                } catch (RejectedExecutionException | OutOfMemoryError e) {
                    throw new NoTokenException("there is no thread for the token supplier", e);
                }
                refresh = result;
            }
            next = refresh;
        }
        try {
            return next.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new NoTokenException("the token supplier has not returned within " + timeout.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            throw new NoTokenException("the token supplier has failed: " + e.getCause(), e.getCause());
        }
    }

    private void refresh(TokenSupplier source, @Nullable String rejected, CompletableFuture<String> result) {
        String fresh = null;
        Throwable problem = null;
        try {
            fresh = source.token(rejected);
            if (fresh == null || !TOKEN.matcher(fresh).matches()) {
                fresh = null;
                problem = new IllegalStateException("a token must have visible ASCII characters only");
            }
        } catch (Throwable e) { // whatever the application throws, lanes must not wait indefinitely
            problem = e;
        }
        synchronized (this) {
            refresh = null;
            if (fresh != null) {
                token = fresh;
            }
        }
        if (problem == null) {
            result.complete(fresh);
        } else {
            result.completeExceptionally(problem);
        }
    }
}
