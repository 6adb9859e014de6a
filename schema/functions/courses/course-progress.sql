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

-- What is done with an item changes the person's tree (report-progress.sql) and how far they are; and may be the last that
-- their course waits for. Work completes its item as of the day on which it was handed in, and the course when it is graded:
-- what others have done meanwhile comes before that, and a waiting list may be closed by then.
create or replace function user_content_progress_after_write() returns trigger language plpgsql as $$
begin
  -- Most posts of progress leave both moments as they were.
  if tg_op <> 'UPDATE'
     or (new.first_started_at, new.completed_at) is distinct from (old.first_started_at, old.completed_at) then
    insert into stale_trees (course_offering_id, user_id)
    values (coalesce(new.course_offering_id, old.course_offering_id), coalesce(new.user_id, old.user_id));
  end if;
  -- An item that is begun, and no more, is no progress.
  if tg_op = 'DELETE'
     or tg_op = 'INSERT' and new.completed_at is null and new.progress_percent = 0
     or tg_op = 'UPDATE' and new.completed_at is null
       and (new.progress_percent, new.completed_at) is not distinct from (old.progress_percent, old.completed_at) then
    return null;
  end if;
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

create or replace trigger user_content_progress_after_write
  after insert or delete or update of first_started_at, progress_percent, completed_at on user_content_progress
  for each row execute function user_content_progress_after_write();
