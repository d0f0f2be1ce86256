package dev.semel.server;

import dev.semel.store.StoreException;

/**
 * What is wrong with a store, for any client; nothing of its message.
 *
 * @param reason a word for programs
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
            return new StoreFault("read_only", "The disk can only be read");
        }
        if (message.equals(WriteProbe.HANGING)) {
            return new StoreFault("unreachable", "The store takes too long");
        }
        if (message.startsWith("The disk failed")) {
            return new StoreFault("failed", "The disk failed; the log says why");
        }
        return new StoreFault(DatabaseFault.reason(e), DatabaseFault.kind(e));
    }
}
