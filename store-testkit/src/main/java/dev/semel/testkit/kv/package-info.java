/** The contract of key-value stores, and one with adjustable staleness, latency and faults. */
@NullMarked
package dev.semel.testkit.kv;

import org.jspecify.annotations.NullMarked;
