package dev.semel.testkit;

/** The contract of every store, whose records are all it needs. A file for each topic. */
public interface OnceStoreContract
        extends CompareAndSetContract,
                RecordContract,
                FencingTokenContract,
                StateTableContract,
                ClaimContract,
                ReplayContract,
                MismatchContract,
                LeaseContract,
                ExpiryContract,
                FailureContract,
                WaitingContract,
                IsolationContract,
                OperatorActionContract,
                RaceContract {}
