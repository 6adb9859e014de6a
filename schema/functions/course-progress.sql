-- How far each enrollment is, as it is read: kept by whatever changes the person's progress there, with it. After an edit of
-- an outline a job works it out anew for those who learn (stale-outlines.sql); until then it is as it was. Whether a
-- course is completed, and what is graded, asks the rows of the items and nothing of this.
--
-- Locks: the advisory locks of the people in the offering, by person, then what is kept of them. Nobody looks at the rows
-- of a person before they hold that lock: of two who do the second sees what the first has written.

-- Works out how far these people are, and keeps it, of those who are enrolled.
create or replace function count_progress_again(offering integer, people integer[]) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(offering, one.person)
  from (select person from unnest(people) as person order by person) as one;
  insert into enrollment_progress as kept (user_id, course_offering_id, progress_percent, completed_items)
  select own.user_id, offering, own.progress_percent, own.completed_items
  from progress_of(offering, people) as own
  join enrollments as mine on mine.user_id = own.user_id and mine.course_offering_id = offering
  on conflict (user_id, course_offering_id) do update
    set progress_percent = excluded.progress_percent, completed_items = excluded.completed_items
    where (kept.progress_percent, kept.completed_items) <> (excluded.progress_percent, excluded.completed_items);
end $$;

-- What is done with an item changes how far its person is; and may be the last that their course waits for. Work completes
-- its item as of the day on which it was handed in, and the course when it is graded: what others have done meanwhile
-- comes before that, and a waiting list may be closed by then.
create or replace function take_progress() returns trigger language plpgsql as $$
begin
  perform count_progress_again(new.course_offering_id, array[new.user_id]);
  if new.completed_at is not null and exists (
    select from enrollment_progress
    where user_id = new.user_id and course_offering_id = new.course_offering_id and progress_percent = 100
  ) then
    perform complete_enrollment(new.course_offering_id, new.user_id, greatest(new.last_interacted_at, (
      select max(graded_at) from lab_submissions
      where user_id = new.user_id and course_offering_id = new.course_offering_id
        and content_item_id = new.content_item_id and status = 'graded')));
  end if;
  return null;
end $$;

-- An item that is begun, and no more, is none.
create or replace trigger take_progress after insert on user_content_progress
  for each row when (new.completed_at is not null or new.progress_percent > 0) execute function take_progress();
create or replace trigger take_later_progress after update of progress_percent, completed_at on user_content_progress
  for each row when (
    new.completed_at is not null
    or (new.progress_percent, new.completed_at) is distinct from (old.progress_percent, old.completed_at)
  ) execute function take_progress();

-- An enrollment begins with what its person did there before. It holds the offering, and waits for nobody's lock: nobody
-- has progress who is not enrolled.
create or replace function begin_progress() returns trigger language plpgsql as $$
declare
  percent numeric := 0;
  completed integer := 0;
begin
  if exists (
    select from user_content_progress where user_id = new.user_id and course_offering_id = new.course_offering_id
  ) then
    select progress_percent, completed_items into percent, completed
    from progress_of(new.course_offering_id, array[new.user_id]);
  end if;
  insert into enrollment_progress (user_id, course_offering_id, progress_percent, completed_items)
  values (new.user_id, new.course_offering_id, percent, completed);
  return null;
end $$;

create or replace trigger begin_progress after insert on enrollments
  for each row execute function begin_progress();
