package dev.semel.store.admin;

import dev.semel.store.spi.OnceStore;

/** A store that operators can inspect and clean up. */
public interface AdminStore extends OnceStore {

    /** Returns the administration of this store. */
    StoreAdmin admin();
}
