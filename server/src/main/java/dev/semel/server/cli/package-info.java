/** The command line. */
@NullMarked
package dev.semel.server.cli;

import org.jspecify.annotations.NullMarked;
