-- A key that is past its time loses its response and stays as a tombstone until it is forgotten. Few keys are not completed: operators
-- find them by an index of their own.

alter table idempotency_keys add column forgotten_at timestamptz; -- from when on the row may go; null for never, or with expires_at

-- Keys that were there before are remembered as new ones are: thirty days, and a day if they were abandoned. An unknown one stays.
update idempotency_keys set forgotten_at = case status when 'processing' then lease_until + interval '1 day'
  else expires_at + interval '30 days' end;

drop index idempotency_keys_cleanup;
create index idempotency_keys_expired on idempotency_keys (expires_at) where response_kind is not null;
create index idempotency_keys_forgotten on idempotency_keys ((coalesce(forgotten_at, expires_at))) where response_kind is null;
create index idempotency_keys_abandoned on idempotency_keys (lease_until) where status = 'processing' and if_abandoned = 'freeze';
create index idempotency_keys_open on idempotency_keys (user_id, created_at, id) where status <> 'completed';

-- With the id the order is complete, so that lists go on where they ended.
drop index idempotency_keys_user_recent;
create index idempotency_keys_user_recent on idempotency_keys (user_id, created_at, id);
