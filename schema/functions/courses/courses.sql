-- Course prerequisites and subjects.
--
-- Locks: for a prerequisite the university of the course; for subjects the course, then its popularity
-- (popularity.sql).

-- Cycles may have any length. New prerequisites within a university wait for each other, so two that only form a
-- cycle together are found.
create or replace function refuse_cycle_of_prerequisites() returns trigger language plpgsql as $$
begin
  perform from universities
  where id = (select university_id from courses where id = new.course_id) for no key update;
  if exists (
    with recursive needed as (
      select new.prerequisite_course_id as id
      union
      select prerequisite_course_id
      from course_prerequisites join needed on course_prerequisites.course_id = needed.id
    )
    select from needed where id = new.course_id
  ) then
    raise exception 'course % would be needed for itself', new.course_id
      using errcode = 'check_violation', table = 'course_prerequisites', constraint = 'course_prerequisites_acyclic';
  end if;
  return new;
end $$;

create or replace trigger refuse_cycle_of_prerequisites
  before insert or update of course_id, prerequisite_course_id on course_prerequisites
  for each row execute function refuse_cycle_of_prerequisites();

-- `[{"subject_id": 1, "is_primary": true}, …]`. The marked subject, or none, becomes the primary one.
create or replace function replace_course_subjects(course integer, wanted jsonb) returns setof course_subjects
language plpgsql as $$
begin
  perform from courses where id = course for no key update;
  delete from course_subjects where course_id = course;
  insert into course_subjects (course_id, subject_id, is_primary)
  select course, subject_id, is_primary
  from jsonb_to_recordset(wanted) as one (subject_id integer, is_primary boolean);
  update courses set updated_at = service_now(), version = version + 1, primary_subject_id = (
    select subject_id from course_subjects where course_id = course and is_primary
  ) where id = course;
  return query select * from course_subjects where course_id = course;
end $$;
