-- The audit log is append-only, with two exceptions: erasing an account removes the person, and expired
-- events are pruned.
--
-- Locks: none.

create or replace function refuse_change_of_audit_events() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if to_jsonb(new) - '{actor_id,subject_id,from_address}'::text[]
         = to_jsonb(old) - '{actor_id,subject_id,from_address}'::text[]
       and coalesce(new.actor_id = old.actor_id, new.actor_id is null)
       and coalesce(new.subject_id = old.subject_id, new.subject_id is null)
       and coalesce(new.from_address = old.from_address, new.from_address is null) then
      return new;
    end if;
  elsif tg_op = 'DELETE' then
    if old.occurred_at < nullif(current_setting('learning.audit_kept_from', true), '')::timestamptz then
      return old;
    end if;
  end if;
  raise exception 'audit events are neither changed nor deleted' using errcode = 'insufficient_privilege';
end $$;

create or replace trigger refuse_change_of_audit_events before update or delete on audit_events
  for each row execute function refuse_change_of_audit_events();

create or replace trigger refuse_truncation_of_audit_events before truncate on audit_events
  for each statement execute function refuse_change_of_audit_events();

-- Deletes up to `most` of the oldest, with the names of people that no event mentions any more, or those of one
-- university among `ids`.
create or replace function prune_audit_events(
  before timestamptz, most integer, university integer default null, ids bigint[] default null
) returns integer language plpgsql security definer set search_path = public, pg_temp as $$
declare
  forgotten integer;
begin
  perform set_config('learning.audit_kept_from', before::text, true);
  if ids is null then
    delete from audit_events where occurred_at < before
      and id = any (array(select id from audit_events order by id limit most for update skip locked));
  else
    delete from audit_events where id = any (ids) and university_id = university and occurred_at < before;
  end if;
  get diagnostics forgotten = row_count;
  perform set_config('learning.audit_kept_from', '', true);
  delete from audit_people as one
  where ids is null and forgotten > 0 and not exists (select from audit_events where actor_id = one.user_id)
    and not exists (select from audit_events where subject_id = one.user_id);
  return forgotten;
end $$;

-- `request` is `{"at": "2026-03-10T12:00:00Z", "id": "…", "from": "203.0.113.7", "network": "203.0.113.7",
-- "person": 7, "api_key": 3}`.
create or replace function audit(
  the_action text, actor integer, subject integer, university integer, the_details jsonb, request jsonb
) returns void language sql as $$
  insert into audit_events (
    action, actor_id, subject_id, university_id, details, occurred_at, api_key_id, request_id, from_address)
  values (the_action, actor, subject, university, the_details, (request ->> 'at')::timestamptz,
          (request ->> 'api_key')::int, request ->> 'id', request ->> 'from')
$$;
