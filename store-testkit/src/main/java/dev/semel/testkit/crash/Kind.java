package dev.semel.testkit.crash;

/** How an operation of a crash run is done. */
enum Kind {
    /** Its effect is a document and a count, in one commit with its record. */
    ATOMIC,
    /** Its effect is a line of a file; run again if its owner crashed. */
    RERUN,
    /** Its effect is a line of a file; never run again. */
    FREEZE
}
