-- Idempotency records, for PostgreSQL 16 or later. The first schema of the search_path gets the tables.
-- The role that runs this script owns the tables. It needs CREATEROLE only if one of the two roles below is missing.

-- Roles belong to the whole cluster, and several databases may be installed at the same time.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['semel_app', 'semel_service'] loop
    if not exists (select from pg_roles where rolname = wanted) then
      begin
        execute format('create role %I nologin', wanted);
      exception when duplicate_object or unique_violation then
        null; -- another installation has created it
      end;
    end if;
    if not pg_has_role(current_user, wanted, 'set') then
      execute format('grant %I to %I', wanted, current_user);
    end if;
    execute format('grant usage on schema %I to %I', current_schema(), wanted);
  end loop;
end
$$;

-- The installed parts and their versions.
create table semel_schema_version (
  part text collate "C" primary key,
  version integer not null,
  installed_at timestamptz not null default now()
);

-- One row for each key. Columns are ordered by alignment, and codes are small; the view idempotency_keys shows names instead.
create table idempotency_records (
  created_at timestamptz not null,
  deadline timestamptz, -- end of the lease while processing, then the expiry of the record; null for never
  purge_at timestamptz, -- end of the tombstone, when the row may be deleted; null for never
  fencing_token bigint not null,
  attempts integer not null,
  response_status integer, -- the outcome: of the response, or of the one with which the operation failed; a tombstone keeps it
  status smallint not null check (status in (1, 2, 3, 4)), -- processing, completed, failed, unknown
  if_abandoned smallint, -- 1 rerun, 2 freeze; null for an operation without a lease
  response_kind smallint, -- 1 kept, 2 not kept, 3 refusal, 4 refusal that is not kept; null without a response
  id uuid primary key, -- the first 16 bytes of the SHA-256 of user, endpoint and key
  payload_hash bytea not null, -- SHA-256
  user_id text collate "C" not null,
  endpoint text collate "C" not null,
  idempotency_key text collate "C" not null,
  client_tx_id text collate "C" not null,
  commit_id text collate "C" not null, -- of the commit that last wrote the row
  response_headers text collate "C", -- name, tab, value; one header per line
  response_body bytea,
  cause text collate "C", -- of a failure
  quota_starts timestamptz[] -- earlier starts of a key that was started again, while they count for the quota
);

-- For quotas, and for listing the keys of a user.
create index idempotency_records_user on idempotency_records (user_id, created_at);

-- When a sweep has to delete a response, freeze an abandoned operation, or purge a row.
create index idempotency_records_sweep on idempotency_records ((
  case when status = 4 then null
    when response_kind is not null or (status = 1 and if_abandoned = 2) then deadline
    else purge_at end));

-- Small: most rows are in neither index.
create index idempotency_records_open on idempotency_records (user_id, created_at) where status in (1, 4);
create index idempotency_records_restarted on idempotency_records (user_id, created_at) where quota_starts is not null;

create table cleanup_logs (
  table_name text not null,
  deleted_count bigint not null,
  cleanup_time timestamptz not null default now()
);

create index cleanup_logs_time on cleanup_logs (cleanup_time);

-- A response body as JSON; null if it is not JSON, or if jsonb cannot represent it.
create function json_or_null(body bytea) returns jsonb
  language plpgsql immutable strict as $$ -- not parallel safe: before PostgreSQL 17 an exception block is not
begin
  return convert_from(body, 'UTF8')::jsonb;
exception when others then
  return null;
end
$$;

create view idempotency_keys with (security_invoker = true) as
select
  r.id,
  r.idempotency_key,
  r.client_tx_id,
  r.user_id,
  r.endpoint,
  encode(r.payload_hash, 'hex') as payload_hash,
  json_or_null(r.response_body) as response_payload,
  (array['processing', 'completed', 'failed', 'unknown'])[r.status] as status,
  r.created_at,
  case when r.status in (2, 3) then r.deadline end as expires_at,
  case when r.status = 1 then r.deadline end as lease_until,
  (array['rerun', 'freeze'])[r.if_abandoned] as if_abandoned,
  r.attempts,
  r.fencing_token,
  r.commit_id,
  r.purge_at,
  r.response_status,
  (array['kept', 'not_kept', 'refusal', 'refusal_not_kept'])[r.response_kind] as response_kind,
  r.response_headers,
  r.response_body,
  r.cause
from idempotency_records r;

-- One batch of a sweep. Deletes the responses of expired keys, purges tombstones, and sets abandoned operations that must not run again to
-- unknown. Skips locked rows. Returns the deleted rows by their name in cleanup_logs, and when the last of them was due.
create function sweep_idempotency_records(due_from timestamptz, due_until timestamptz, batch integer)
  returns table (table_name text, deleted_count bigint, last_due timestamptz)
  language plpgsql as $$
begin
  return query
  with due as materialized (
    select r.ctid as row_id, coalesce(r.status = 1 and r.if_abandoned = 2, false) as is_abandoned,
      coalesce(r.purge_at <= due_until, false) as is_purged,
      case when r.status = 4 then null
        when r.response_kind is not null or (r.status = 1 and r.if_abandoned = 2) then r.deadline
        else r.purge_at end as due_at
    from idempotency_records r
    where case when r.status = 4 then null
        when r.response_kind is not null or (r.status = 1 and r.if_abandoned = 2) then r.deadline
        else r.purge_at end between due_from and due_until
    order by due_at limit batch for update skip locked
  ), frozen as (
    update idempotency_records r set status = 4, deadline = null, purge_at = null
    from due where r.ctid = due.row_id and due.is_abandoned
    returning '' as name, due.due_at
  ), stripped as (
    update idempotency_records r set response_kind = null, response_headers = null, response_body = null
    from due where r.ctid = due.row_id and not due.is_abandoned and not due.is_purged
    returning 'idempotency_keys' as name, due.due_at
  ), purged as (
    delete from idempotency_records r
    using due where r.ctid = due.row_id and not due.is_abandoned and due.is_purged
    returning case when r.status = 1 then 'idempotency_keys' else 'tombstones' end as name, due.due_at
  ), swept as (
    select * from frozen union all select * from stripped union all select * from purged
  )
  select s.name, count(*), max(s.due_at) from swept s group by s.name;
end
$$;

-- For a scheduler in the database: deletes one bounded batch, logs it in cleanup_logs, and returns the number of deleted rows.
create function cleanup_expired_idempotency_keys() returns bigint
  language plpgsql as $$
declare
  total bigint;
begin
  with swept as materialized (
    select * from sweep_idempotency_records('-infinity', now(), 1000)
  ), logged as (
    insert into cleanup_logs (table_name, deleted_count, cleanup_time)
    select names.name, coalesce(sum(swept.deleted_count), 0), now()
    from unnest(array['idempotency_keys', 'tombstones']) names(name) left join swept on swept.table_name = names.name
    group by names.name
    returning cleanup_logs.deleted_count
  )
  select sum(logged.deleted_count) into total from logged;
  return total;
end
$$;

-- Without pg_temp at the end of the path, a session's temporary tables would be found first.
do $$
begin
  execute format('alter function sweep_idempotency_records set search_path = %I, pg_temp', current_schema());
  execute format('alter function cleanup_expired_idempotency_keys set search_path = %I, pg_temp', current_schema());
end
$$;

-- semel_app reads and writes rows of the users in the setting semel.user, separated by U+001F; semel_service reads and writes all rows.
grant select on semel_schema_version to semel_app, semel_service;
grant select, insert, update, delete on idempotency_records to semel_app, semel_service;
grant select, update, delete on idempotency_keys to semel_app, semel_service;
grant select, insert, update, delete on cleanup_logs to semel_service;
revoke execute on function sweep_idempotency_records, cleanup_expired_idempotency_keys from public;
grant execute on function sweep_idempotency_records, cleanup_expired_idempotency_keys to semel_service;
grant execute on function json_or_null to semel_app, semel_service;

alter table idempotency_records enable row level security;
create policy own_rows on idempotency_records to semel_app
  using (user_id = any ((select string_to_array(current_setting('semel.user', true), E'\x1f'))::text[]));
create policy all_rows on idempotency_records to semel_service using (true);

insert into semel_schema_version (part, version) values ('idempotency_records', 1);
