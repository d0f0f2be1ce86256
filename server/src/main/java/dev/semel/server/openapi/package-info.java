/** API documentation: the OpenAPI 3.1 description and a page that shows it. */
@NullMarked
package dev.semel.server.openapi;

import org.jspecify.annotations.NullMarked;
