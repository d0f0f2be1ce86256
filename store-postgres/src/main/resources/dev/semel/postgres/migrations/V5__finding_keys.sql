-- Keys whose outcome is open are very few, and somebody may be waiting for an operator to find them: failed ones, which stay for weeks,
-- are not in between.
drop index idempotency_keys_open;
create index idempotency_keys_undecided on idempotency_keys (user_id, created_at, id) where status in ('processing', 'unknown');
create index idempotency_keys_failed on idempotency_keys (user_id, created_at, id) where status = 'failed';

-- Operators may know a client's transaction, and not whose it is.
drop index idempotency_keys_client_tx;
create index idempotency_keys_client_tx on idempotency_keys (client_tx_id, user_id);
