-- Anonymous items show graders a code instead of the person until their grades are released. The person's first
-- work draws the code, which is permanent.
--
-- Until the release, work changes nothing that names its person: its results complete no item (completion.sql),
-- and lists of people and the event feed leave out its activity (lib/courses/activity/shown.ts).
--
-- Locks: the row of the person and item, by its unique index, within the locks of the work (submissions.sql,
-- quiz-attempts.sql); a change of `anonymous` in an item locks the grades of its offerings (grades.sql); a
-- release locks open attempts and the work (dates.sql), the people with work in the offering, then the events, then
-- completion.sql.

-- Their grades are only released by hand: the first released grade would identify its person.
create or replace function is_grading_anonymous(offering integer, item integer) returns boolean language sql stable as $$
  select exists (select from content_items where id = item and data_json -> 'anonymous' = 'true')
    and not exists (select from grade_releases where course_offering_id = offering and content_item_id = item)
$$;

-- Not stable: a submission returns the code that the same statement drew.
create or replace function anonymous_code(offering integer, item integer, person integer) returns text
language plpgsql as $$
begin
  return (
    select code from anonymous_codes
    where course_offering_id = offering and content_item_id = item and user_id = person);
end $$;

-- Consonants only: no code is a word or a number.
create or replace function ensure_anonymous_code(offering integer, item integer, person integer) returns void
language plpgsql as $$
begin
  while anonymous_code(offering, item, person) is null loop
    insert into anonymous_codes (course_offering_id, content_item_id, user_id, code)
    values (offering, item, person,
      translate(left(gen_random_uuid()::text, 8), '0123456789abcdef', 'BCDFGHJKLMNPQRTV'))
    on conflict do nothing;
  end loop;
end $$;

-- Random for anonymous work, whose order would reveal when each person submitted; else the next of the `kind`.
create or replace function next_id_random_for_anonymous_work(kind text, item integer) returns bigint language sql as $$
  select case when exists (select from content_items where id = item and data_json -> 'anonymous' = 'true')
    then (1::bigint << 48) + ('x' || translate(left(gen_random_uuid()::text, 13), '-', ''))::bit(48)::bigint
    else nextval(pg_get_serial_sequence(kind, 'id')) end
$$;

-- Quiz attempts and submissions.
create or replace view works as
  select user_id, course_offering_id, content_item_id from lab_submissions
  union all
  select user_id, course_offering_id, content_item_id from quiz_attempts
  union all
  select user_id, course_offering_id, content_item_id from scorm_attempts;

-- Setting `anonymous` gives a code to each person with work. Clearing it requires that all work is released, as
-- promised. Does nothing if `former` comes from a version without this field.
create or replace function draw_codes_or_refuse_anonymity_change(the_item content_items, former jsonb) returns void language plpgsql as $$
declare
  was boolean := (former -> 'anonymous')::boolean;
begin
  if was is null or was = (the_item.data_json -> 'anonymous' is not distinct from 'true') then return; end if;
  perform lock_offering_grades(run.id)
  from (select id from course_offerings where course_id = the_item.course_id order by id) as run;
  if was and exists (
    select from works as work
    where work.content_item_id = the_item.id and not exists (
      select from grade_releases as release
      where release.course_offering_id = work.course_offering_id and release.content_item_id = the_item.id)
  ) then
    raise exception 'content item % has work that is graded anonymously', the_item.id
      using errcode = 'check_violation', table = 'content_items', constraint = 'content_items_stay_anonymous';
  end if;
  if not was then
    perform ensure_anonymous_code(work.course_offering_id, the_item.id, work.user_id)
    from (
      select distinct course_offering_id, user_id from works where content_item_id = the_item.id order by 1, 2
    ) as work;
  end if;
end $$;

-- Applies later dates to the work, completes items by the results that a release shows, and gives their events a new
-- place in the feed, whose readers have passed the former one.
create or replace function apply_deferred_effects_of_anonymous_release(offering integer, items integer[]) returns void language plpgsql as $$
declare
  work record;
begin
  perform apply_extended_dates_to_work(offering, items, null, service_now());
  -- Locks all of them before the first enrollment is completed: see completion.sql.
  perform pg_advisory_xact_lock(offering, one.user_id)
  from (
    select user_id from works where course_offering_id = offering and content_item_id = any (items)
    union
    select user_id from item_grades where course_offering_id = offering and content_item_id = any (items) order by 1
  ) as one;
  -- Waits for takers who are answering.
  perform from quiz_attempts where course_offering_id = offering and content_item_id = any (items) order by id for update;
  update activity_events set change_number = current_transaction_number()
  where course_offering_id = offering and content_item_id = any (items) and verb in ('attempted', 'submitted');
  for work in
    select user_id, content_item_id from works where course_offering_id = offering and content_item_id = any (items)
    union
    select user_id, content_item_id from item_grades
    where course_offering_id = offering and content_item_id = any (items) order by 1, 2
  loop
    perform sync_item_completion_with_result(offering, work.user_id, work.content_item_id);
  end loop;
end $$;
