package dev.semel.server;

import dev.semel.store.StoreException;

/**
 * The cause of a store failure as it is shown to any client. It contains no part of the exception's message.
 *
 * @param reason the {@code reason} of a health response, for programs
 * @param detail a sentence for people
 */
record StoreFault(String reason, String detail) {

    static StoreFault of(StoreException e) {
        String message = String.valueOf(e.getMessage());
        if (message.endsWith("store is closed")) {
            return new StoreFault("closed", "The store is closed");
        }
        if (message.contains("No space left on device") || message.contains("Disk quota exceeded")) {
            return new StoreFault("full", "The disk is full");
        }
        if (message.startsWith("The memory store is full")) {
            return new StoreFault("full", "The memory is full");
        }
        if (message.contains("Read-only file system")) {
            return new StoreFault("read_only", "The disk is read-only");
        }
        if (message.equals(WriteProbe.HANGING)) {
            return new StoreFault("unreachable", "The store does not complete a write");
        }
        if (message.startsWith("The disk failed")) {
            return new StoreFault("failed", "The disk failed; see the server's log");
        }
        return new StoreFault(DatabaseFault.reason(e), DatabaseFault.kind(e));
    }
}
