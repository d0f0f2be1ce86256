package dev.semel.id;

import java.time.Instant;
import java.util.Locale;

/** How long a scheme can go on minting. */
public sealed interface Lifetime {

    /** There is no end to it. */
    record Endless() implements Lifetime {
        @Override
        public String toString() {
            return "endless";
        }
    }

    /** From the first instant to the last, both included. */
    record Between(Instant first, Instant last) implements Lifetime {
        @Override
        public String toString() {
            return year(first) + " to " + year(last);
        }

        private static String year(Instant time) {
            String iso = time.toString();
            return iso.substring(iso.startsWith("+") ? 1 : 0, iso.indexOf('-', 1));
        }
    }

    /** Numbers up to the last, included. */
    record Numbers(long last) implements Lifetime {
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%,d ids", last);
        }
    }
}
