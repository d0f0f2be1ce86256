package dev.semel.http;

import java.time.Duration;

/** Gives tests in other packages access to the parser of {@code Prefer}. */
public final class MaxWait {

    private MaxWait() {}

    public static Duration of(WebRequest request) {
        return KeyHeaders.maxWait(request);
    }
}
