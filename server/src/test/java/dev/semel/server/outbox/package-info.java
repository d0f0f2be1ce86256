/** The outbox in the fault suite of clients: against a real server, killed and restarted, over a network with faults. */
@NullMarked
package dev.semel.server.outbox;

import org.jspecify.annotations.NullMarked;
