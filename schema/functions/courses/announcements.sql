-- Announcements and their readers.
--
-- Locks: the announcement whose readers are notified (notifications.sql). Everything else only reads.

create or replace view participants as
  select user_id, course_offering_id from enrollments where is_admitted
  union all
  select user_id, course_offering_id from offering_teachers;

-- The same readers as in `notify_readers_of_next_published_announcement`.
create or replace function visible_announcements_of_person(person integer, moment timestamptz) returns setof announcements
language sql stable as $$
  select said.* from announcements as said
  where said.published_at <= moment and said.course_offering_id in (
    select course_offering_id from participants where user_id = person)
  union all
  select said.* from announcements as said
  where said.published_at <= moment and said.course_offering_id is null
    and said.university_id in (select known.university_id from known_people as known where known.user_id = person)
$$;

-- Two small statements, by the offerings taken and by university, since most people teach nothing.
create or replace function count_unread_announcements(person integer, moment timestamptz) returns integer
language plpgsql stable as $$
declare
  of_offerings integer;
  of_universities integer;
begin
  if exists (select from course_offering_instructors where user_id = person) then
    return (
      select count(*) from visible_announcements_of_person(person, moment) as said
      where said.created_by_user_id is distinct from person
        and not exists (select from announcement_reads where announcement_id = said.id and user_id = person));
  end if;
  select count(*) into of_offerings
  from enrollments as mine join announcements as said on said.course_offering_id = mine.course_offering_id
  where mine.user_id = person and mine.is_admitted and said.published_at <= moment
    and said.created_by_user_id is distinct from person
    and not exists (select from announcement_reads where announcement_id = said.id and user_id = person);
  select count(*) into of_universities
  from (select distinct known.university_id from known_people as known where known.user_id = person) as place
  join announcements as said on said.university_id = place.university_id
  where said.course_offering_id is null and said.published_at <= moment
    and said.created_by_user_id is distinct from person
    and not exists (select from announcement_reads where announcement_id = said.id and user_id = person);
  return of_offerings + of_universities;
end $$;
