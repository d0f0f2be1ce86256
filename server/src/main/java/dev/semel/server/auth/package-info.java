/** Who sends a request: tokens, and the mode in which anybody on this machine may have one. */
@NullMarked
package dev.semel.server.auth;

import org.jspecify.annotations.NullMarked;
