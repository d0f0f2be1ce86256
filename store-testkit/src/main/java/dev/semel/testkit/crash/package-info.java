/**
 * Crash tests for authors of a durable store: repeatedly kills a process that uses the store, and checks that every acknowledged effect
 * is stored exactly once. Start with {@link dev.semel.testkit.crash.CrashRun}.
 */
@NullMarked
package dev.semel.testkit.crash;

import org.jspecify.annotations.NullMarked;
