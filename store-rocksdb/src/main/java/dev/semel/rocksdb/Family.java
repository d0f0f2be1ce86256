package dev.semel.rocksdb;

import org.rocksdb.ColumnFamilyHandle;

/** A column family. Its id is kept here, since the handle must not be used after the database is closed. */
final class Family {

    private final ColumnFamilyHandle handle;
    private final int id;

    Family(ColumnFamilyHandle handle) {
        this.handle = handle;
        this.id = handle.getID();
    }

    /** Returns the native handle. Callers must be inside the database's {@link Gate}. */
    ColumnFamilyHandle handle() {
        return handle;
    }

    /** Returns the id that write batches contain. */
    int id() {
        return id;
    }
}
