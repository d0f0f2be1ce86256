/**
 * For people who write a store that keeps things: kills a process that uses it, again and again, and looks whether everything that
 * was acknowledged is there exactly once. Start at {@link dev.semel.testkit.crash.CrashRun}.
 */
@NullMarked
package dev.semel.testkit.crash;

import org.jspecify.annotations.NullMarked;
