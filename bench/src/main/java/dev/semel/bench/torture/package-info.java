/** Kills a process that uses a store, thousands of times if need be: {@code semel torture}. */
@NullMarked
package dev.semel.bench.torture;

import org.jspecify.annotations.NullMarked;
