package dev.semel.server;

import dev.semel.store.StoreException;

/**
 * What is wrong with a store, for anybody who asks; nothing of what was said.
 *
 * @param reason a word for programs
 * @param detail a sentence for people
 */
record StoreFault(String reason, String detail) {

    static StoreFault of(StoreException e) {
        String said = String.valueOf(e.getMessage());
        if (said.endsWith("store is closed")) {
            return new StoreFault("closed", "The store is closed");
        }
        if (said.contains("No space left on device") || said.contains("Disk quota exceeded")) {
            return new StoreFault("full", "The disk is full");
        }
        if (said.startsWith("The memory store is full")) {
            return new StoreFault("full", "The memory is full");
        }
        if (said.contains("Read-only file system")) {
            return new StoreFault("read_only", "The disk can only be read");
        }
        if (said.equals(WriteProbe.HANGS)) {
            return new StoreFault("unreachable", "The store takes too long");
        }
        if (said.startsWith("The disk failed")) {
            return new StoreFault("failed", "The disk failed; the log says why");
        }
        return new StoreFault(DatabaseFault.reason(e), DatabaseFault.kind(e));
    }
}
