-- Anonymous items show graders a code instead of the person until their grades are released. The person's first
-- work draws the code, which is permanent.
--
-- Locks: the row of the person and item, by its unique index, within the locks of the work (submissions.sql,
-- quiz-attempts.sql); a change of `anonymous` in an item locks the grades of its offerings (grades.sql).

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
create or replace function assign_anonymous_code(offering integer, item integer, person integer) returns void
language plpgsql as $$
begin
  while anonymous_code(offering, item, person) is null loop
    insert into anonymous_codes (course_offering_id, content_item_id, user_id, code)
    values (offering, item, person,
      translate(left(gen_random_uuid()::text, 8), '0123456789abcdef', 'BCDFGHJKLMNPQRTV'))
    on conflict do nothing;
  end loop;
end $$;

-- Quiz attempts and submissions.
create or replace view works as
  select user_id, course_offering_id, content_item_id from lab_submissions
  union all
  select user_id, course_offering_id, content_item_id from quiz_attempts;

-- Setting `anonymous` gives a code to each person with work. Clearing it requires that all work is released, as
-- promised. Does nothing if `former` comes from a version without this field.
create or replace function apply_anonymity_change(the_item content_items, former jsonb) returns void language plpgsql as $$
declare
  was boolean := (former -> 'anonymous')::boolean;
begin
  if was is null or was = (the_item.data_json -> 'anonymous' is not distinct from 'true') then return; end if;
  perform lock_grades(run.id)
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
    perform assign_anonymous_code(work.course_offering_id, the_item.id, work.user_id)
    from (
      select distinct course_offering_id, user_id from works where content_item_id = the_item.id order by 1, 2
    ) as work;
  end if;
end $$;
