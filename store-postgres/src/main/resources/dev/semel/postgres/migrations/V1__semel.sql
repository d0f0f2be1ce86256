-- What Semel keeps in PostgreSQL, from version 16 on. Plain SQL: it may also be run by hand, by the role that is to own the tables,
-- with a search_path whose first schema is the one to hold them. That role needs CREATEROLE only if the two roles below are missing.

-- Roles belong to the whole cluster, and several databases may be set up at once.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['semel_app', 'semel_service'] loop
    if not exists (select from pg_roles where rolname = wanted) then
      begin
        execute format('create role %I nologin', wanted);
      exception when duplicate_object or unique_violation then
        null; -- somebody else was quicker
      end;
    end if;
    if not pg_has_role(current_user, wanted, 'set') then
      execute format('grant %I to %I', wanted, current_user);
    end if;
    execute format('grant usage on schema %I to %I', current_schema(), wanted);
  end loop;
end
$$;

-- One row for each operation. It is found by its id: the first 16 bytes of the SHA-256 of user, endpoint and key, since an endpoint
-- may be too long for an index.
create table idempotency_keys (
  id uuid primary key,
  idempotency_key text collate "C" not null,
  client_tx_id text collate "C" not null,
  user_id text collate "C" not null,
  endpoint text collate "C" not null,
  payload_hash text collate "C" not null,
  response_payload jsonb, -- for people, where the response is JSON; what is replayed is response_body
  status text collate "C" not null check (status in ('processing', 'completed', 'failed', 'unknown')),
  created_at timestamptz not null,
  expires_at timestamptz, -- from when on the key counts as new; null while it is processing or unknown
  lease_until timestamptz, -- until when its owner has it; null when it is no longer processing
  if_abandoned text collate "C" check (if_abandoned in ('rerun', 'freeze')),
  attempts integer not null,
  attempt_id text collate "C" not null, -- of the write that left the row as it is
  fence bigint not null,
  response_status integer,
  response_kind text collate "C" check (response_kind in ('kept', 'not_kept', 'refusal', 'refusal_not_kept')),
  response_headers text collate "C",
  response_body bytea
);

create index idempotency_keys_user_recent on idempotency_keys (user_id, created_at);
create index idempotency_keys_client_tx on idempotency_keys (user_id, client_tx_id);
create index idempotency_keys_cleanup on idempotency_keys (expires_at) where status in ('completed', 'failed');

-- Data under keys. An empty owner is everybody. The data is JSON, spelled as it came.
create table documents (
  collection text collate "C" not null,
  owner text collate "C" not null,
  key text collate "C" not null,
  version bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  expires_at timestamptz,
  written_by text collate "C" not null, -- attempt id of the commit
  place bigint not null default 0, -- in the order of commits, if it has one
  found_by text collate "C", -- its further keys: name, tab, key; one a line
  data text not null,
  primary key (collection, owner, key)
);

create index documents_cleanup on documents (expires_at) where expires_at is not null;
create index documents_settlements on documents (split_part(key, ':', 1), created_at)
  where collection = 'tables/settlements' and owner = '';

-- Other keys by which documents are found.
create table further_keys (
  collection text collate "C" not null,
  owner text collate "C" not null,
  name text collate "C" not null,
  further_key text collate "C" not null,
  key text collate "C" not null,
  primary key (collection, owner, name, further_key)
);

-- Commits that left no row in idempotency_keys to tell that they were applied.
create table receipts (
  attempt_id text collate "C" primary key,
  created_at timestamptz not null
);

create index receipts_cleanup on receipts (created_at);

create table cleanup_logs (
  table_name text not null,
  deleted_count bigint not null,
  cleanup_time timestamptz not null default now()
);

create index cleanup_logs_time on cleanup_logs (cleanup_time);

create sequence semel_fences;
create sequence semel_places;

-- A place as it ends a further key: 13 digits to the base of 36, so that texts sort as the numbers do.
create function semel_place_text(place bigint) returns text
  language sql immutable strict parallel safe
  return substr('0123456789abcdefghijklmnopqrstuvwxyz', (place / 4738381338321616896 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (place / 131621703842267136 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (place / 3656158440062976 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (place / 101559956668416 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (place / 2821109907456 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (place / 78364164096 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (place / 2176782336 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (place / 60466176 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (place / 1679616 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (place / 46656 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (place / 1296 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (place / 36 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (place % 36)::int + 1, 1);

-- What tables have settled, as one row each. The payload is null where it holds \u0000, which jsonb cannot.
create view game_settlements with (security_invoker = true) as
select
  md5(key)::uuid::text as id,
  key as settlement_id,
  split_part(key, ':', 1) as table_id,
  case when pg_input_is_valid(data, 'jsonb') then data::jsonb #>> '{payload,tournamentId}' end as tournament_id,
  split_part(key, ':', 2) as hand_id,
  case when pg_input_is_valid(data, 'jsonb') then data::jsonb -> 'payload' end as payload,
  created_at
from documents
where collection = 'tables/settlements' and owner = '';

-- semel_app sees and changes what belongs to the users that the setting semel.user names, separated by commas; semel_service all.
grant select, insert, update, delete on idempotency_keys, documents, further_keys to semel_app, semel_service;
grant select, insert on receipts to semel_app;
grant select, insert, update, delete on receipts, cleanup_logs to semel_service;
grant select on game_settlements to semel_app, semel_service;
grant usage on sequence semel_fences, semel_places to semel_app, semel_service;

alter table idempotency_keys enable row level security;
alter table documents enable row level security;
alter table further_keys enable row level security;

create policy own_rows on idempotency_keys to semel_app
  using (user_id = any ((select string_to_array(current_setting('semel.user', true), ','))::text[]));
create policy own_rows on documents to semel_app
  using (owner = '' or owner = any ((select string_to_array(current_setting('semel.user', true), ','))::text[]));
create policy own_rows on further_keys to semel_app
  using (owner = '' or owner = any ((select string_to_array(current_setting('semel.user', true), ','))::text[]));

create policy all_rows on idempotency_keys to semel_service using (true);
create policy all_rows on documents to semel_service using (true);
create policy all_rows on further_keys to semel_service using (true);
