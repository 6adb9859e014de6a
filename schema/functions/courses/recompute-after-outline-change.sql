-- The queue of courses with edited outlines. A job recomputes progress and trees of the people in the
-- course's runs, in batches. Runs that are over keep their completions.
--
-- Locks: an edit none, rows are only added. The job holds an advisory lock, so one runs at a time; then those
-- of the people and their stored progress (course-progress.sql); then `course_trees` (course-progress-report.sql).

-- A reorder changes the course's version too. Skips courses without enrollments or progress: people who join later
-- start from the new outline.
create or replace function increment_course_version_and_queue_recompute() returns trigger language plpgsql as $$
declare
  moved integer[] := '{}';
  edited integer[];
begin
  if tg_op = 'INSERT' then
    edited := array(select course_id from written);
  elsif tg_op = 'DELETE' then
    edited := array(select course_id from overwritten);
  elsif tg_table_name = 'modules' then
    moved := array(
      select present.course_id from written as present join overwritten as former using (id)
      where (present.parent_module_id, present.sequence_index)
        is distinct from (former.parent_module_id, former.sequence_index));
    edited := array(
      select present.course_id from written as present join overwritten as former using (id)
      where (present.is_published, present.parent_module_id)
        is distinct from (former.is_published, former.parent_module_id));
  else
    moved := array(
      select present.course_id from written as present join overwritten as former using (id)
      where (present.module_id, present.sequence_index) <> (former.module_id, former.sequence_index));
    edited := array(
      select present.course_id from written as present join overwritten as former using (id)
      -- An external tool with points takes a result.
      where (present.is_active, present.module_id, present.content_type_id, present.data_json ? 'max_points')
        <> (former.is_active, former.module_id, former.content_type_id, former.data_json ? 'max_points'));
  end if;
  if moved <> '{}' then
    update courses set version = version + 1 where id = any (moved);
  end if;
  if edited <> '{}' then
    insert into stale_outlines (course_id)
    select distinct course from unnest(edited) as course
    where exists (
      select from course_offerings as run where run.course_id = course and (
        exists (select from enrollments where course_offering_id = run.id)
        or exists (select from user_module_progress where course_offering_id = run.id)));
  end if;
  return null;
end $$;

create or replace trigger queue_inserted_outlines after insert on modules
  referencing new table as written for each statement execute function increment_course_version_and_queue_recompute();
create or replace trigger queue_updated_outlines after update on modules
  referencing old table as overwritten new table as written for each statement execute function increment_course_version_and_queue_recompute();
create or replace trigger queue_deleted_outlines after delete on modules
  referencing old table as overwritten for each statement execute function increment_course_version_and_queue_recompute();
create or replace trigger queue_inserted_outlines after insert on content_items
  referencing new table as written for each statement execute function increment_course_version_and_queue_recompute();
create or replace trigger queue_updated_outlines after update on content_items
  referencing old table as overwritten new table as written for each statement execute function increment_course_version_and_queue_recompute();
create or replace trigger queue_deleted_outlines after delete on content_items
  referencing old table as overwritten for each statement execute function increment_course_version_and_queue_recompute();

-- The next `most` people; returns whether more are left. The longest waiting round is next. Edits during a round
-- are handled in the next one.
create or replace function recompute_progress_after_outline_edits(most integer) returns boolean language plpgsql as $$
declare
  round stale_outlines;
  run integer;
  people integer[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended('looking anew', 0)) then return false; end if;
  with noted as (
    delete from stale_outlines as note where note.course_offering_id is null and not exists (
      select from stale_outlines as begun
      where begun.course_id = note.course_id and begun.course_offering_id is not null)
    returning note.course_id, note.includes_ended
  )
  insert into stale_outlines (course_id, includes_ended, course_offering_id, looked_at)
  select noted.course_id, bool_or(noted.includes_ended), 0, service_clock() from noted group by noted.course_id;
  select * into round from stale_outlines as one
  where one.course_offering_id is not null order by one.looked_at, one.course_id limit 1;
  if not found then return false; end if;

  select one.id into run from course_offerings as one
  where one.course_id = round.course_id and one.id >= round.course_offering_id
    and (round.includes_ended or coalesce(one.ends_at > service_now(), true))
  order by one.id limit 1;
  if run is null then
    delete from stale_outlines as one where one.course_id = round.course_id and one.course_offering_id is not null;
    return exists (select from stale_outlines);
  end if;
  if run > round.course_offering_id then round.done_to := 0; end if;
  people := array(
    select one.user_id from (
      (select mine.user_id from enrollments as mine
       where mine.course_offering_id = run and mine.user_id > round.done_to order by 1 limit most)
      union
      (select distinct begun.user_id from user_module_progress as begun
       where begun.course_offering_id = run and begun.user_id > round.done_to order by 1 limit most)
    ) as one order by 1 limit most);
  if people <> '{}' then
    perform recompute_enrollment_progress(run, people);
    perform recompute_course_progress_dates(run, people);
  end if;
  update stale_outlines as one
  set course_offering_id = case when cardinality(people) < most then run + 1 else run end,
      done_to = case when cardinality(people) < most then 0 else people[most] end,
      looked_at = greatest(service_clock(), (select max(two.looked_at) from stale_outlines as two) + interval '1 millisecond')
  where one.course_id = round.course_id and one.course_offering_id is not null;
  return true;
end $$;
