package dev.semel.testkit.crash;

import dev.semel.testkit.crash.Acknowledgement.How;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** All acknowledgements of all workers, and the contradictions between them. */
final class History {

    private final Map<Long, Acknowledgement> first = new HashMap<>();
    private final Map<Long, Integer> firstIn = new HashMap<>();
    private final Set<Long> executed = new HashSet<>();
    private final List<String> contradictions = new ArrayList<>();
    private long acknowledgements;
    private long firstOpen = 1;
    private long highest;

    /** @param group number of the group of workers that printed it */
    void add(int group, Acknowledgement acknowledgement) {
        acknowledgements++;
        long number = acknowledgement.number();
        highest = Math.max(highest, number);
        Acknowledgement before = first.putIfAbsent(number, acknowledgement);
        if (before != null && !before.response().equals(acknowledgement.response())) {
            contradictions.add("operation " + number + " (" + acknowledgement.kind() + ") got the response \""
                    + before.response() + "\", and later \"" + acknowledgement.response() + "\"");
        }
        if (acknowledgement.how() == How.EXECUTED) {
            // The line of the worker that executed it may be read after those of concurrent workers.
            if (firstIn.getOrDefault(number, group) < group) {
                contradictions.add("operation " + number + " (" + acknowledgement.kind()
                        + ") was executed after it had been acknowledged");
            } else if (executed.contains(number)) {
                contradictions.add("operation " + number + " (" + acknowledgement.kind() + ") was executed twice");
            }
            executed.add(number);
        }
        firstIn.putIfAbsent(number, group);
        while (first.containsKey(firstOpen)) {
            firstOpen++;
        }
    }

    Optional<Acknowledgement> of(long number) {
        return Optional.ofNullable(first.get(number));
    }

    /** Returns the lowest operation that is not acknowledged. */
    long firstOpen() {
        return firstOpen;
    }

    /** Returns the highest operation that is acknowledged. */
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
