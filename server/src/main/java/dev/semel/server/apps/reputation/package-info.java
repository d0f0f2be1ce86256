/** Documents with composite keys: users, tags, reputations and votes. */
@NullMarked
package dev.semel.server.apps.reputation;

import org.jspecify.annotations.NullMarked;
