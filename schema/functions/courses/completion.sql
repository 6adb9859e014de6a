-- Completes enrollments by achievement, independent of self-reports.
--
-- Locks: the advisory lock of the person in the offering, then those of enrollments.sql in their order. A
-- transaction that locks an offering never waits for that lock.

-- The first passed quiz, graded work or completed package, an excuse, or a score set by staff, which must pass a quiz; for anonymous work
-- the release of grades, if that is later. Only this and `sync_item_completion_with_result` depend on assessments.
create or replace function item_completed_by_result_at(offering integer, person integer, item integer) returns timestamptz
language sql stable as $$
  select case when min(submitted_at) is not null then greatest(min(submitted_at), (
    select release.released_at from grade_releases as release join content_items as one on one.id = release.content_item_id
    where release.course_offering_id = offering and one.id = item and one.data_json -> 'anonymous' = 'true')) end
  from (
    select submitted_at from quiz_attempts
    where user_id = person and course_offering_id = offering and content_item_id = item and passed
    union all
    select submitted_at from lab_submissions
    where user_id = person and course_offering_id = offering and content_item_id = item and status = 'graded'
    union all
    select completed_at from scorm_attempts
    where user_id = person and course_offering_id = offering and content_item_id = item and completed_at is not null
    union all
    select own.updated_at from item_grades as own
    where own.user_id = person and own.course_offering_id = offering and own.content_item_id = item
      and (own.is_excused or own.score_override is not null and exists (
        select from content_items as graded join content_types as type on type.id = graded.content_type_id
        where graded.id = own.content_item_id and (type.name <> 'quiz' or own.score_override * 100
          >= passing_percent_of_quiz(graded.data_json) * max_points_of_item(type.name, graded.data_json))))
  ) as result
$$;

-- Leaves anonymous work alone until its release (anonymous-work.sql).
create or replace function sync_item_completion_with_result(offering integer, person integer, item integer) returns void language plpgsql as $$
declare
  moment timestamptz := item_completed_by_result_at(offering, person, item);
begin
  if not (
    select one.takes_result from content_items_with_type as one where one.id = item
  ) or is_grading_anonymous(offering, item) then return; end if;
  if moment is null then
    update user_content_progress set completed_at = null
    where user_id = person and course_offering_id = offering and content_item_id = item and completed_at is not null;
    return;
  end if;
  update user_content_progress
  set progress_percent = 100, completed_at = moment, last_interacted_at = greatest(last_interacted_at, moment)
  where user_id = person and course_offering_id = offering and content_item_id = item;
  if found then return; end if;
  insert into user_content_progress as mine (user_id, course_offering_id, content_item_id, progress_percent,
    first_started_at, last_interacted_at, completed_at, attempts_count)
  values (person, offering, item, 100, moment, moment, moment, 0)
  on conflict on constraint user_content_progress_unique do update
    set progress_percent = 100, completed_at = moment, last_interacted_at = greatest(mine.last_interacted_at, moment);
end $$;

-- With grades or a grading scheme, it also needs a final passing grade. If the last two items complete
-- concurrently, the second waits and sees the first.
create or replace function complete_enrollment_if_done(offering integer, person integer, moment timestamptz) returns void
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(offering, person);
  if not exists (
    select from enrollments where course_offering_id = offering and user_id = person and is_admitted
      and (status = 'active' or completion_source = 'self')
  ) or not exists (select from course_offerings where id = offering and completion_rule = 'all_items')
    or not (
      select coalesce(bool_and(mine.completed_at is not null), false)
      from course_offerings as run
      cross join lateral published_items_of_course(run.course_id) as counting
      left join user_content_progress as mine
        on mine.course_offering_id = run.id and mine.user_id = person and mine.content_item_id = counting.item_id
      where run.id = offering)
    or (exists (select from course_grades where course_offering_id = offering)
        or exists (select from grading_schemes where course_offering_id = offering))
      and not exists (
        select from course_grades
        where course_offering_id = offering and user_id = person and graded_at is not null and passed)
  then return; end if;
  perform lock_course_seats_of_offering(offering);
  perform from course_offerings where id = offering for no key update;
  perform from enrollments
  where course_offering_id = offering and user_id = person and is_admitted
    and (status = 'active' or completion_source = 'self') for no key update;
  if not found then return; end if;
  update enrollments set status = 'completed', completion_source = 'result', completed_at = moment
  where course_offering_id = offering and user_id = person;
  perform fill_seats_freed_by_person(offering, person, moment);
end $$;

create or replace function course_grades_after_write() returns trigger language plpgsql as $$
begin
  if new.passed and new.graded_at is not null then
    perform complete_enrollment_if_done(new.course_offering_id, new.user_id, new.graded_at);
  end if;
  if tg_op = 'INSERT' or new.final_score is distinct from old.final_score then
    perform enqueue_lti_score(new.course_offering_id, new.user_id, null);
  end if;
  return null;
end $$;

create or replace trigger course_grades_after_write after insert or update of final_score, passed, graded_at on course_grades
  for each row execute function course_grades_after_write();
