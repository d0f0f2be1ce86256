/** The feed API: posts, likes and comments, as described in the guide to idempotency of a community feed. */
@NullMarked
package dev.semel.server.apps.feed;

import org.jspecify.annotations.NullMarked;
