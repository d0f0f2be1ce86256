-- Documents. Run after the script of the idempotency records, in the same schema.

-- Documents without an owner are shared by all users. The data is the JSON text as it was written.
create table documents (
  version bigint not null,
  sequence bigint not null default 0, -- commit sequence number of the creation; 0 for none
  created_at timestamptz not null,
  updated_at timestamptz not null,
  expires_at timestamptz,
  collection text collate "C" not null,
  owner text collate "C" not null,
  key text collate "C" not null,
  commit_id text collate "C" not null, -- of the commit that last wrote the row
  index_entries text collate "C", -- index, tab, key; one entry per line
  data text not null,
  primary key (collection, owner, key)
);

create index documents_expiry on documents (expires_at) where expires_at is not null;
create index documents_settlements on documents (split_part(key, ':', 1), created_at)
  where collection = 'tables/settlements' and owner = '';

-- Entries of secondary indexes.
create table index_entries (
  collection text collate "C" not null,
  owner text collate "C" not null,
  index_name text collate "C" not null,
  index_key text collate "C" not null,
  key text collate "C" not null,
  primary key (collection, owner, index_name, index_key)
);

-- Ids of commits that wrote documents without an idempotency record, kept for callers that send a commit again.
create table commit_log (
  created_at timestamptz not null,
  commit_id text collate "C" primary key
);

create index commit_log_time on commit_log (created_at);

create sequence commit_sequence;

-- A commit sequence number at the end of an index key: 13 digits to base 36, which sort like the numbers.
create function sequence_text(sequence bigint) returns text
  language sql immutable strict parallel safe
  return substr('0123456789abcdefghijklmnopqrstuvwxyz', (sequence / 4738381338321616896 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (sequence / 131621703842267136 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (sequence / 3656158440062976 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (sequence / 101559956668416 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (sequence / 2821109907456 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (sequence / 78364164096 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (sequence / 2176782336 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (sequence / 60466176 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (sequence / 1679616 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (sequence / 46656 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (sequence / 1296 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (sequence / 36 % 36)::int + 1, 1)
    || substr('0123456789abcdefghijklmnopqrstuvwxyz', (sequence % 36)::int + 1, 1);

-- Settlements, one row each. The payload is null if it contains \u0000, which jsonb cannot represent.
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

grant select, insert, update, delete on documents, index_entries to semel_app, semel_service;
grant select, insert on commit_log to semel_app;
grant select, insert, update, delete on commit_log to semel_service;
grant select on game_settlements to semel_app, semel_service;
grant usage on sequence commit_sequence to semel_app, semel_service;
grant execute on function sequence_text to semel_app, semel_service;

alter table documents enable row level security;
alter table index_entries enable row level security;

create policy own_rows on documents to semel_app
  using (owner = '' or owner = any ((select string_to_array(current_setting('semel.user', true), E'\x1f'))::text[]));
create policy own_rows on index_entries to semel_app
  using (owner = '' or owner = any ((select string_to_array(current_setting('semel.user', true), E'\x1f'))::text[]));
create policy all_rows on documents to semel_service using (true);
create policy all_rows on index_entries to semel_service using (true);

insert into semel_schema_version (part, version) values ('documents', 1);
