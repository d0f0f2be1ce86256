/** A store in memory, for tests and for data that may be lost when the process ends. */
@NullMarked
package dev.semel.memory;

import org.jspecify.annotations.NullMarked;
