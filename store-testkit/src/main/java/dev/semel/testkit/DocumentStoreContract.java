package dev.semel.testkit;

/** The contract of stores of documents, by topic. */
public interface DocumentStoreContract
        extends CommitContract,
                CommitIdContract,
                AtomicContract,
                AtomicRaceContract,
                ScanContract,
                IndexContract,
                DocumentCollectionContract,
                SequenceContract,
                AllocationContract {}
