-- Stored progress of each enrollment, updated with the person's progress. After an outline edit, a job
-- recomputes it for current learners (recompute-after-outline-change.sql); until then it is unchanged. Completion and grading
-- read item rows instead.
--
-- Locks: the advisory locks of the people in the offering, by person, then their stored progress. A person's
-- rows are only read under that lock: of two concurrent writers, the second sees the first's rows.

create or replace function recompute_enrollment_progress(offering integer, people integer[]) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(offering, one.person)
  from (select person from unnest(people) as person order by person) as one;
  insert into enrollment_progress as kept (user_id, course_offering_id, progress_percent, completed_items)
  select own.user_id, offering, own.progress_percent, own.completed_items
  from course_progress_of_people(offering, people) as own
  join enrollments as mine on mine.user_id = own.user_id and mine.course_offering_id = offering
  on conflict (user_id, course_offering_id) do update
    set progress_percent = excluded.progress_percent, completed_items = excluded.completed_items
    where (kept.progress_percent, kept.completed_items) <> (excluded.progress_percent, excluded.completed_items);
end $$;

-- Work completes its item as of submission, or of the release if it is anonymous, and the course when it is graded.
-- Others may have completed before then, and the waitlist may have closed.
create or replace function user_content_progress_after_write() returns trigger language plpgsql as $$
declare
  reached timestamptz;
begin
  -- Also a post that repeats the percentage. Nothing else is then read.
  if tg_op = 'UPDATE' and new.completed_at is null
     and (new.first_started_at, new.progress_percent, new.completed_at)
       is not distinct from (old.first_started_at, old.progress_percent, old.completed_at) then
    return null;
  end if;
  -- Updates the months of reports for a late or deleted row (monthly-aggregates.sql). Rows of the last hour are counted with
  -- their month.
  if coalesce(case tg_op
    when 'INSERT' then least(new.first_started_at, new.completed_at) < now() - interval '1 hour'
    when 'DELETE' then least(old.first_started_at, old.completed_at) < now() - interval '1 hour'
    else new.first_started_at <> old.first_started_at
        and least(new.first_started_at, old.first_started_at) < now() - interval '1 hour'
      or new.completed_at is distinct from old.completed_at
        and least(new.completed_at, old.completed_at) < now() - interval '1 hour' end, false)
  then
    reached := lock_counting_and_read_counted_until();
    perform add_to_monthly_measure_sum(fact.measure, run.course_id, fact.month, fact.since, fact.amount)
    from (
      select row.course_offering_id, counted.measure, utc_month(counted.moment) as month, utc_month(counted.since) as since,
             sum(row.sign) as amount
      from (
        select -1 as sign, old.course_offering_id, old.first_started_at, old.completed_at where tg_op <> 'INSERT'
        union all
        select 1, new.course_offering_id, new.first_started_at, new.completed_at where tg_op <> 'DELETE'
      ) as row
      cross join lateral (values
        ('topics_started', row.first_started_at, row.first_started_at),
        ('topics_completed', row.completed_at, row.first_started_at)) as counted (measure, moment, since)
      where counted.moment < reached
      group by 1, 2, 3, 4 having sum(row.sign) <> 0
    ) as fact join course_offerings as run on run.id = fact.course_offering_id;
  end if;
  -- Most progress posts leave both moments unchanged.
  if tg_op <> 'UPDATE'
     or (new.first_started_at, new.completed_at) is distinct from (old.first_started_at, old.completed_at) then
    insert into stale_trees (course_offering_id, user_id)
    values (coalesce(new.course_offering_id, old.course_offering_id), coalesce(new.user_id, old.user_id));
  end if;
  -- Starting an item is not progress.
  if tg_op = 'DELETE'
     or tg_op = 'INSERT' and new.completed_at is null and new.progress_percent = 0
     or tg_op = 'UPDATE' and new.completed_at is null and old.completed_at is null
       and new.progress_percent = old.progress_percent then
    return null;
  end if;
  perform recompute_enrollment_progress(new.course_offering_id, array[new.user_id]);
  if new.completed_at is not null and exists (
    select from enrollment_progress
    where user_id = new.user_id and course_offering_id = new.course_offering_id and progress_percent = 100
  ) then
    perform complete_enrollment_if_done(new.course_offering_id, new.user_id, greatest(new.last_interacted_at, (
      select max(graded_at) from lab_submissions
      where user_id = new.user_id and course_offering_id = new.course_offering_id
        and content_item_id = new.content_item_id and status = 'graded')));
  end if;
  return null;
end $$;

create or replace trigger user_content_progress_after_write
  after insert or delete or update of first_started_at, progress_percent, completed_at on user_content_progress
  for each row execute function user_content_progress_after_write();
