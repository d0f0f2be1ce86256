package dev.semel.testkit.crash;

import dev.semel.testkit.crash.Acknowledgement.How;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What all workers have acknowledged, and what of it contradicts itself. */
final class History {

    private final Map<Long, Acknowledgement> first = new HashMap<>();
    private final Map<Long, Integer> firstIn = new HashMap<>();
    private final Map<Long, Integer> executedIn = new HashMap<>();
    private final List<String> contradictions = new ArrayList<>();
    private long acknowledgements;
    private long firstOpen = 1;
    private long highest;

    /** @param life in which it was acknowledged */
    void add(int life, Acknowledgement acknowledgement) {
        acknowledgements++;
        long number = acknowledgement.number();
        highest = Math.max(highest, number);
        Acknowledgement before = first.putIfAbsent(number, acknowledgement);
        if (before != null && !before.answer().equals(acknowledgement.answer())) {
            contradictions.add("operation " + number + " (" + acknowledgement.kind() + ") was answered \""
                    + before.answer() + "\", and later \"" + acknowledgement.answer() + "\"");
        }
        if (acknowledgement.how() == How.EXECUTED) {
            // Of those at work at the same time, the one that executed it may be heard last.
            if (firstIn.getOrDefault(number, life) < life) {
                contradictions.add("operation " + number + " (" + acknowledgement.kind()
                        + ") was executed after it had been acknowledged");
            } else if (executedIn.containsKey(number)) {
                contradictions.add("operation " + number + " (" + acknowledgement.kind() + ") was executed twice");
            }
            executedIn.putIfAbsent(number, life);
        }
        firstIn.putIfAbsent(number, life);
        while (first.containsKey(firstOpen)) {
            firstOpen++;
        }
    }

    Optional<Acknowledgement> of(long number) {
        return Optional.ofNullable(first.get(number));
    }

    /** In which life it was acknowledged that an operation was executed just then; null if it never was. */
    @Nullable Integer executedIn(long number) {
        return executedIn.get(number);
    }

    /** The lowest operation that is not acknowledged. */
    long firstOpen() {
        return firstOpen;
    }

    /** The highest operation that is acknowledged. */
    long highest() {
        return highest;
    }

    long operations() {
        return first.size();
    }

    long acknowledgements() {
        return acknowledgements;
    }

    List<String> contradictions() {
        return contradictions;
    }
}
