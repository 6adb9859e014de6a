-- Rosters from the LMS of a bound course (NRPS). The worker reads all pages of one before it applies anything, then
-- takes its people in steps. At the end, people whom the LMS no longer lists lose the seats and staff roles that it
-- gave.
--
-- Locks: the roster's row; in a step the course and the offering (enrollments.sql), then each person as in their
-- launch (lti.sql), in the order of the roster.

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
-- the `tries` of the lease, the `state`, `again_at` for the next reading, and perhaps `counts`, `failure` and
-- `differences_url`.
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
    due_at = case when is_last then (ended ->> 'again_at')::timestamptz else due_at end,
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
