-- Rosters from the LMS of a bound course (NRPS). The worker reads all pages of one before it applies anything, then
-- takes its people in steps. At the end, people whom the LMS no longer lists lose the seats and staff roles that it
-- gave.
--
-- Locks: the roster's row; in a step the course and the offering (enrollments.sql), then each person as in their
-- launch (lti.sql), in the order of the roster.

-- The next night's reading of a roster. Minutes differ by context, to spread the load on an LMS.
create or replace function next_lti_roster_at(the_context integer, moment timestamptz) returns timestamptz
language sql immutable as $$
  select (date_trunc('day', moment at time zone 'UTC') + interval '1 day 1 hour'
    + make_interval(mins => the_context % 240)) at time zone 'UTC'
$$;

-- Leases the roster that is due first, for `seconds`. Courses bound since the last time are due in the night. Rosters
-- of an inactive university wait until it is active.
create or replace function lease_lti_roster(seconds integer, moment timestamptz)
returns table (
  context_id integer, mode text, asked_by integer, tries integer, memberships_url text, differences_url text,
  platform_id integer, client_id text, auth_token_url text, staff_by_institution_role boolean
) language plpgsql as $$
#variable_conflict use_column
begin
  insert into lti_rosters (context_id, state, mode, due_at, created_at, updated_at)
  select one.id, 'asked', 'nightly', next_lti_roster_at(one.id, moment), moment, moment
  from lti_contexts as one
  where one.memberships_url is not null and not exists (select from lti_rosters as known where known.context_id = one.id)
  order by one.id limit 100
  on conflict do nothing;
  return query
    with next as (
      select one.context_id from lti_rosters as one join lti_contexts as bound on bound.id = one.context_id
      join course_offerings as run on run.id = bound.course_offering_id
      where greatest(one.due_at, coalesce(one.lease_until, one.due_at)) <= moment and bound.memberships_url is not null
        and (one.mode <> 'nightly' or coalesce(run.ends_at, moment) >= moment)
        and (select is_active from universities where id = run.university_id)
      order by greatest(one.due_at, coalesce(one.lease_until, one.due_at)) limit 1 for update of one skip locked
    ), leased as (
      update lti_rosters as one
      set lease_until = moment + make_interval(secs => seconds), tries = one.tries + 1
      from next where one.context_id = next.context_id returning one.*
    )
    select leased.context_id, leased.mode, leased.asked_by_user_id, leased.tries, bound.memberships_url::text,
           case when leased.taken_at > moment - interval '7 days' then leased.differences_url::text end,
           platform.id, platform.client_id::text, platform.auth_token_url::text, platform.staff_by_institution_role
    from leased join lti_contexts as bound on bound.id = leased.context_id
    join lti_platforms as platform on platform.id = bound.platform_id;
end $$;

-- Takes people of a roster, `[{"subject", "name", "email", "sourced_id", "role"}, …]`, and returns the outcome of
-- each: `enrolled`, `staff`, `unchanged`, `kept_dropped` (dropped by staff), `awaiting_sign_in` (only the person can
-- confirm the account), or `refused`. With `dry` it is rolled back.
create or replace function take_lti_members(the_context integer, members jsonb, dry boolean, request jsonb)
returns table (subject text, outcome text) language plpgsql as $$
declare
  bound lti_contexts;
  told jsonb;
  met record;
  refusal text;
  taken jsonb := '[]';
begin
  begin
    select * into bound from lti_contexts where id = the_context;
    if not found then return; end if;
    perform lock_course_key_shared(bound.course_offering_id);
    perform from course_offerings where id = bound.course_offering_id for no key update;
    for told in select value from jsonb_array_elements(members) as one (value) loop
      select * into met from find_lti_person(bound.platform_id, told, request);
      refusal := met.refusal;
      if refusal is null and not has_lti_role(bound, met.person, told ->> 'role') then
        refusal := coalesce(give_lti_role(bound, met.person, told ->> 'role', 'roster', request),
          case when told ->> 'role' = 'student' then 'enrolled' else 'staff' end);
      end if;
      taken := taken || jsonb_build_object('subject', told ->> 'subject', 'outcome', case
        when refusal is null then 'unchanged'
        when refusal in ('enrolled', 'staff') then refusal
        when refusal = 'dropped' then 'kept_dropped'
        when refusal = 'sign_in' then 'awaiting_sign_in'
        else 'refused' end);
    end loop;
    if dry then raise exception using errcode = 'UNDO0'; end if;
  exception when sqlstate 'UNDO0' then null;
  end;
  return query select one.subject, one.outcome from jsonb_to_recordset(taken) as one (subject text, outcome text);
end $$;

-- Stores the result of reading a roster, unless another reading was requested since, which is then due. `ended` has
-- the `tries` of the lease, the `state`, and perhaps `counts`, `failure`, `differences_url` and `again_at`; without
-- that the next reading is in the next night.
create or replace function end_lti_roster(the_context integer, ended jsonb, moment timestamptz, request jsonb) returns void
language plpgsql as $$
declare
  former lti_rosters;
  outcome text := ended ->> 'state';
  is_last boolean;
begin
  select * into former from lti_rosters where context_id = the_context for update;
  if not found then return; end if;
  is_last := former.tries = (ended ->> 'tries')::integer;
  update lti_rosters set
    lease_until = null, ended_at = moment, counts = coalesce(ended -> 'counts', counts), failure = ended ->> 'failure',
    taken_at = case when outcome = 'taken' then moment else taken_at end,
    differences_url = case when outcome = 'taken' then coalesce(ended ->> 'differences_url', differences_url) else differences_url end,
    state = case when is_last then outcome else state end,
    mode = case when is_last and outcome <> 'failed' then 'nightly' else mode end,
    due_at = case when is_last then coalesce((ended ->> 'again_at')::timestamptz, next_lti_roster_at(the_context, moment))
                  else due_at end,
    tries = case when is_last and outcome <> 'failed' then 0 else tries end,
    updated_at = moment
  where context_id = the_context;
  if outcome = 'taken' and former.asked_by_user_id is not null and former.mode <> 'nightly' then
    perform audit('lti_roster.taken', former.asked_by_user_id, null, bound.university_id, jsonb_build_object(
      'course_offering_id', bound.course_offering_id, 'lti_context_id', bound.id,
      'enrolled', ended -> 'counts' -> 'enrolled', 'dropped', ended -> 'counts' -> 'dropped',
      'confirmed', former.mode = 'confirmed'), request)
    from lti_contexts as bound where bound.id = the_context;
  end if;
end $$;
