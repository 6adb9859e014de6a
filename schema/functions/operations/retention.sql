-- When retention periods begin, and whether a hold applies; used by lib/operations/retention/.
--
-- Locks: pruning, holds and policy changes at a university take its row of `retention_policies` first.

-- The term's last day there, else the own end; null if neither exists.
create or replace view offering_ends as
  select run.id as course_offering_id,
         coalesce((term.ends_on + 1)::timestamp at time zone place.time_zone, run.ends_at) as ends_at
  from course_offerings as run join universities as place on place.id = run.university_id
  left join terms as term on term.id = run.term_id;

-- A hold is on one of these users, or on the offering. Rows without an offering match a hold on any offering of the
-- course in which the user is enrolled.
create or replace function is_under_retention_hold(
  university integer, people integer[], offering integer, course integer, moment timestamptz
) returns boolean language sql stable as $$
  select exists (
    select from retention_holds as hold join universities as place on place.id = hold.university_id
    where hold.university_id = university
      and coalesce((moment at time zone place.time_zone)::date <= hold.held_until, true)
      and (hold.user_id = any (people) or hold.course_offering_id = offering
        or (offering = 0 and course > 0 and exists (
          select from course_offerings as run join enrollments as seat on seat.course_offering_id = run.id
          where run.id = hold.course_offering_id and run.course_id = course and seat.user_id = any (people)))))
$$;

-- The retention policies of universities as JSON.
create or replace view retention_settings as
  select policy.university_id, jsonb_build_object('archive_days', policy.archive_days, 'periods', coalesce((
    select jsonb_agg(jsonb_build_object('kind', kind, 'days', days, 'set_at', set_at, 'counted_at', counted_at))
    from retention_periods as period where period.university_id = policy.university_id), '[]')) as settings
  from retention_policies as policy;

-- Holds the lock until the end of the transaction; creates the row if missing.
create or replace function ensure_and_lock_retention_policy(university integer) returns void language sql as $$
  insert into retention_policies (university_id, archive_days) values (university, 1825)
  on conflict (university_id) do update set archive_days = retention_policies.archive_days
$$;

-- Periods are in days after the term by kind, `{"conversations": 180, "grades": null}`, and the days an archive is
-- kept, if given. Kinds that are not named stay. New and shortened periods start their waiting time again. The
-- constraint `retention_grades_last` refuses to delete grades before their attempts.
create or replace function set_retention_policy(
  university integer, kinds jsonb, the_archive_days integer, actor integer, moment timestamptz, request jsonb
) returns jsonb language plpgsql as $$
begin
  perform ensure_and_lock_retention_policy(university);
  update retention_policies set archive_days = the_archive_days
  where university_id = university and the_archive_days is not null;
  delete from retention_periods where university_id = university and kinds -> kind = 'null';
  insert into retention_periods as former (university_id, kind, days, set_at)
  select university, key, value::int, moment from jsonb_each_text(kinds) where value is not null
  on conflict (university_id, kind) do update set days = excluded.days,
    set_at = case when excluded.days < former.days then moment else former.set_at end,
    counted_at = case when excluded.days < former.days then null else former.counted_at end;
  if exists (
    select from retention_periods as grades
    left join retention_periods as work on work.university_id = university and work.kind = 'submissions'
    where grades.university_id = university and grades.kind = 'grades' and coalesce(work.days > grades.days, true)
  ) then
    raise exception 'grades before submissions' using errcode = 'check_violation', constraint = 'retention_grades_last';
  end if;
  perform audit('retention.set', actor, null, university,
    jsonb_build_object('kinds', kinds, 'archive_days', the_archive_days), request);
  return (select settings from retention_settings where university_id = university);
end $$;
