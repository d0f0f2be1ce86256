package dev.semel.once;

import static java.util.stream.Collectors.toUnmodifiableMap;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/** What outcomes are called where they are counted and traced: as their classes are, in small letters, such as {@code in_progress}. */
public final class OutcomeName {

    private static final Map<Class<?>, String> NAMES = Arrays.stream(Outcome.class.getPermittedSubclasses())
            .collect(toUnmodifiableMap(kind -> kind, OutcomeName::of));

    private OutcomeName() {}

    private static String of(Class<?> kind) {
        return kind.getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
    }

    /** What an outcome is called. */
    public static String of(Outcome outcome) {
        return NAMES.getOrDefault(outcome.getClass(), "");
    }

    /** What each kind of outcome is called. */
    public static Map<Class<?>, String> all() {
        return NAMES;
    }
}
