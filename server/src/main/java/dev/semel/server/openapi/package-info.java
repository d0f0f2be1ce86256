/** What the server answers, told to programs as OpenAPI 3.1 and to people as a page. */
@NullMarked
package dev.semel.server.openapi;

import org.jspecify.annotations.NullMarked;
