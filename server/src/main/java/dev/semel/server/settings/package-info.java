/** What the server can be told: each setting declared once, and given by flag, by environment or in a file. */
@NullMarked
package dev.semel.server.settings;

import org.jspecify.annotations.NullMarked;
