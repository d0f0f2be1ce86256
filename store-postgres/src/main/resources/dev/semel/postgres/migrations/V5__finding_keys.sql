-- Keys whose outcome is open are very few, and somebody may be waiting for an operator to find them: failed ones, which stay for weeks,
-- are not in between.
drop index idempotency_keys_open;
create index idempotency_keys_undecided on idempotency_keys (user_id, created_at, id) where status in ('processing', 'unknown');
create index idempotency_keys_failed on idempotency_keys (user_id, created_at, id) where status = 'failed';

-- Operators may know a client's transaction, and not whose it is.
drop index idempotency_keys_client_tx;
create index idempotency_keys_client_tx on idempotency_keys (client_tx_id, user_id);

-- Nor need they know whose the keys are that begin with something, belong to an operation, or are old. An endpoint may be too long for
-- an index; its hash is a column, since row level security keeps an index of a function from being used.
alter table idempotency_keys add column endpoint_hash bigint not null generated always as (hashtextextended(endpoint, 0)) stored;
create index idempotency_keys_endpoint on idempotency_keys (endpoint_hash, created_at, id);
create index idempotency_keys_spelled on idempotency_keys (idempotency_key, id);
create index idempotency_keys_age on idempotency_keys (created_at, id);
