/** Routes, requests and responses, and the filters that all requests pass through. */
@NullMarked
package dev.semel.server.web;

import org.jspecify.annotations.NullMarked;
