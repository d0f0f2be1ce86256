/** The log: one JSON object a line on standard error, for our own entries and for those of the libraries. */
@NullMarked
package dev.semel.server.log;

import org.jspecify.annotations.NullMarked;
