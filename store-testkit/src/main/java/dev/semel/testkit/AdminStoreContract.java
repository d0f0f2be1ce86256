package dev.semel.testkit;

/** The contract of stores that operators can inspect and clean up, by topic. */
public interface AdminStoreContract
        extends StoreAdminContract, SweepContract, SweepRaceContract, DocumentAdminContract {}
