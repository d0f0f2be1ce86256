package dev.semel.testkit;

/** The contract of stores that enforce a quota of new keys per user. */
public interface QuotaStoreContract extends QuotaContract {}
