-- Announcements and their readers.
--
-- Locks: the announcement whose readers are notified (notifications.sql). Everything else only reads.

create or replace function takes_part(person integer, offering integer) returns boolean language sql stable as $$
  select exists (
    select from enrollments where user_id = person and course_offering_id = offering and is_admitted
  ) or exists (
    select from offering_teachers where user_id = person and course_offering_id = offering
  )
$$;

-- A person's announcements published by that moment; the same readers as in `tell_announcement`.
create or replace function announcements_for(person integer, moment timestamptz) returns setof announcements
language sql stable as $$
  select said.* from announcements as said
  where said.published_at <= moment and said.course_offering_id in (
    select course_offering_id from enrollments where user_id = person and is_admitted
    union
    select course_offering_id from offering_teachers where user_id = person
  )
  union all
  select said.* from announcements as said
  where said.published_at <= moment and said.course_offering_id is null
    and said.university_id in (select known.university_id from known_people as known where known.user_id = person)
$$;

-- The number of unread announcements. Counted in two small statements, by the offerings taken and by
-- university, since most people teach nothing.
create or replace function unread_announcements(person integer, moment timestamptz) returns integer
language plpgsql stable as $$
declare
  of_offerings integer;
  of_universities integer;
begin
  if exists (select from course_offering_instructors where user_id = person) then
    return (
      select count(*) from announcements_for(person, moment) as said
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

-- Marks an announcement and its notification as read; returns when it was first read.
create or replace function read_announcement(person integer, the_announcement integer, moment timestamptz)
returns timestamptz language plpgsql as $$
begin
  insert into announcement_reads (announcement_id, user_id, read_at) values (the_announcement, person, moment)
  on conflict do nothing;
  update notifications set read_at = moment, mail_due_at = null
  where announcement_id = the_announcement and user_id = person and read_at is null;
  return (select read_at from announcement_reads where announcement_id = the_announcement and user_id = person);
end $$;
