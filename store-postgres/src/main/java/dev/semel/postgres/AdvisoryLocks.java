package dev.semel.postgres;

/**
 * The numbers of advisory locks. A number includes the schema, because the advisory locks of a database are common to all schemas.
 *
 * <p>Locks of rows and users have even numbers. The odd number after one stands for the shared mode of that lock: see
 * {@link CommitSql#lock}.
 *
 * @param salt a hash of the schema
 */
record AdvisoryLocks(long salt) {

    AdvisoryLocks(String schema) {
        this(RowId.of("schema\0" + schema).high());
    }

    /** Returns the lock of a row, or of the keys of a user. */
    long of(RowId id) {
        return (id.high() ^ salt) & ~1L;
    }

    /** Returns the number that stands for the lock of a row in shared mode. */
    long shared(RowId id) {
        return of(id) + 1;
    }

    /** Returns the lock that a caller-managed transaction holds in addition, from the claim of a key on. */
    long ofClaim(RowId key) {
        return of(key) ^ RowId.of("claim").high();
    }

    /** Returns the number that stands for the lock of all documents in shared mode. */
    long ofDocuments() {
        return shared(RowId.of("documents"));
    }

    /** Returns the lock of all documents. */
    long ofAllDocuments() {
        return of(RowId.of("documents"));
    }

    /** Returns the lock of the commit sequence. */
    long ofSequence() {
        return of(RowId.of("sequence"));
    }

    /** Returns the lock of an installation, in any schema: it also creates roles. */
    static long ofInstallation() {
        return RowId.of("installation").high();
    }
}
