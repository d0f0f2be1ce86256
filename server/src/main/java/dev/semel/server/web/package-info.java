/** Requests, routes and answers, as the apps see them. */
@NullMarked
package dev.semel.server.web;

import org.jspecify.annotations.NullMarked;
