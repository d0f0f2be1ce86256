package dev.semel.rocksdb;

import org.rocksdb.ColumnFamilyHandle;

/** A family of rows. Its number is kept here, since to ask RocksDB for it would be to touch memory that may be gone. */
final class Family {

    private final ColumnFamilyHandle handle;
    private final int id;

    Family(ColumnFamilyHandle handle) {
        this.handle = handle;
        this.id = handle.getID();
    }

    /** To be used only inside the database's gate. */
    ColumnFamilyHandle handle() {
        return handle;
    }

    /** By which batches call it. */
    int id() {
        return id;
    }
}
