/** The settings of the server: each is declared once, and set by an option, in the environment or in a file. */
@NullMarked
package dev.semel.server.settings;

import org.jspecify.annotations.NullMarked;
