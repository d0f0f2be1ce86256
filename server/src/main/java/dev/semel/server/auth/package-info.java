/** Authentication of requests by JWT, and the dev mode. */
@NullMarked
package dev.semel.server.auth;

import org.jspecify.annotations.NullMarked;
