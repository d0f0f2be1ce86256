package dev.semel.testkit;

/** The contract of stores that limit how many new keys a user starts. */
public interface QuotaStoreContract extends QuotaContract {}
