package dev.semel.testkit.crash;

/** The kinds of operations of a crash run. */
enum Kind {
    /** Atomic: its effect is a document and a counter, in one commit with its record. */
    ATOMIC,
    /** Leased: its effect is a line of a file. It runs again if its owner crashed. */
    RERUN,
    /** Leased: its effect is a line of a file. It never runs again. */
    FREEZE
}
