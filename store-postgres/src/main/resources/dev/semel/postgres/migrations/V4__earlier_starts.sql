-- A key that is past its time is begun anew in the same row, perhaps within the hour in which its first start counts among the user's new
-- keys. So that start is kept here, as long as it counts.
create table earlier_starts (
  user_id text collate "C" not null,
  created_at timestamptz not null,
  id bigint generated always as identity,
  primary key (user_id, created_at, id)
);

create index earlier_starts_cleanup on earlier_starts (created_at);

create function semel_keep_start() returns trigger
  language plpgsql set search_path from current as $$
begin
  insert into earlier_starts (user_id, created_at) values (old.user_id, old.created_at);
  return null;
end
$$;

create trigger keep_start after update on idempotency_keys for each row
  when (old.created_at <> new.created_at and old.created_at > new.created_at - interval '1 hour')
  execute function semel_keep_start();

-- When users began keys.
create view semel_starts with (security_invoker = true) as
  select user_id, created_at from idempotency_keys
  union all
  select user_id, created_at from earlier_starts;

grant select, insert on earlier_starts to semel_app;
grant select, insert, update, delete on earlier_starts to semel_service;
grant select on semel_starts to semel_app, semel_service;

alter table earlier_starts enable row level security;
create policy own_rows on earlier_starts to semel_app
  using (user_id = any ((select string_to_array(current_setting('semel.user', true), ','))::text[]));
create policy all_rows on earlier_starts to semel_service using (true);
