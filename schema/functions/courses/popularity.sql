-- Stored counts of learners per course, also per subject of the course. Recommendations start with the most
-- popular; counting enrollments each time would take a second.
--
-- Locks: the row of the course itself, then those of its subjects, so a concurrent count and change of
-- subjects see each other: later queries of the function see the commits made during the wait.

create or replace function sync_course_popularity_subjects() returns trigger language plpgsql as $$
declare
  course integer;
  counted integer;
  taught integer[];
begin
  if tg_table_name = 'courses' then
    course := new.id;
    insert into course_popularity (course_id) values (course) on conflict do nothing;
  else
    -- No row if the course itself is being deleted.
    select id into course from courses where id = coalesce(new.course_id, old.course_id);
    if not found then return null; end if;
  end if;
  select enrollments into counted from course_popularity
    where course_id = course and subject_id is null for update;
  -- No count while the course's university is being removed.
  if not found then return null; end if;
  taught := array(
    select subject_id from course_subjects where course_id = course
    union select primary_subject_id from courses where id = course and primary_subject_id is not null);
  delete from course_popularity
    where course_id = course and subject_id is not null and subject_id <> all (taught);
  insert into course_popularity (course_id, subject_id, enrollments)
    select course, subject, counted from unnest(taught) as subject on conflict do nothing;
  return null;
end $$;

create or replace trigger count_popularity_again after insert or update of primary_subject_id on courses
  for each row execute function sync_course_popularity_subjects();

create or replace trigger count_popularity_again after insert or delete on course_subjects
  for each row execute function sync_course_popularity_subjects();

-- First preferred subjects, then subjects being learned, then others; the most popular first in each.
create or replace function recommended_courses(person integer, most integer) returns setof courses
language plpgsql stable as $$
declare
  own integer[] := array(
    select distinct course_id from enrollments
    join course_offerings on course_offerings.id = course_offering_id where user_id = person);
  subjects integer[] := array(select subject_id from user_subject_preferences where user_id = person);
  found integer[] := '{}';
begin
  for round in 1 .. 2 loop
    exit when cardinality(found) >= most;
    found := found || array(
      select course_id from (
        select distinct course_id, enrollments from unnest(subjects) as subject, lateral (
          select course_id, enrollments from course_popularity join courses on id = course_id
          where subject_id = subject and is_published and course_id <> all (own || found)
          order by enrollments desc, course_id limit most - cardinality(found)
        ) as of_subject
      ) as of_subjects order by enrollments desc, course_id limit most - cardinality(found));
    subjects := array(
      select distinct subject_id from course_popularity where course_id = any (own) and subject_id is not null);
  end loop;
  if cardinality(found) < most then
    -- The order includes the subject, even though it is null in all rows: only then is the index read in
    -- order.
    found := found || array(
      select course_id from course_popularity join courses on id = course_id
      where subject_id is null and is_published and course_id <> all (own) and course_id <> all (found)
      order by subject_id, enrollments desc, course_id limit most - cardinality(found));
  end if;
  return query select courses.* from unnest(found) with ordinality as ranked (course_id, place)
    join courses on courses.id = ranked.course_id order by place;
end $$;
