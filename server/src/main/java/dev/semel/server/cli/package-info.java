/** The commands of {@code ./semel}, except for those that the launcher runs itself. */
@NullMarked
package dev.semel.server.cli;

import org.jspecify.annotations.NullMarked;
