-- Rosters from the LMS of a bound course (NRPS). The worker reads all pages of one before it applies anything, then
-- takes its people in steps. At the end, people whom the LMS no longer lists lose the seats and staff roles that it
-- gave.
--
-- Locks: the roster's row; in a step the course and the offering (enrollments.sql), then each person as in their
-- launch (lti.sql), in the order of the roster.

-- `[{"subject", "name", "email", "sourced_id", "role"}, …]`. Outcomes: `enrolled`, `staff`, `unchanged`,
-- `kept_dropped` (dropped by staff), `awaiting_sign_in` (only the person can confirm the account), or `refused`.
-- With `dry` it is rolled back.
create or replace function import_lti_members(the_context integer, members jsonb, dry boolean, request jsonb)
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
    perform lock_course_seats_of_offering(bound.course_offering_id);
    perform from course_offerings where id = bound.course_offering_id for no key update;
    for told in select value from jsonb_array_elements(members) as one (value) loop
      select * into met from find_or_create_lti_person_account(bound.platform_id, told, request);
      refusal := met.refusal;
      if refusal is null and not has_lti_role_in_offering(bound, met.person, told ->> 'role') then
        refusal := coalesce(set_lti_role_in_offering(bound, met.person, told ->> 'role', 'roster', request),
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
