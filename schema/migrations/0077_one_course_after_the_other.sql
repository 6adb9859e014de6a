set local check_function_bodies = off;
--> statement-breakpoint
-- Looks anew at the next `most` people of a course that was edited; answers whether more are left. Each course has a
-- round, which goes through its runs and their people by their ids; of several the one comes next that has waited longest.
-- What is edited during a round has the next one.
create or replace function look_anew(most integer) returns boolean language plpgsql as $$
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
    and (round.includes_ended or is_run_open(one))
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
    perform keep_progress(run, people);
    perform keep_trees(run, people);
  end if;
  update stale_outlines as one
  set course_offering_id = case when cardinality(people) < most then run + 1 else run end,
      done_to = case when cardinality(people) < most then 0 else people[most] end,
      looked_at = greatest(service_clock(), round.looked_at + interval '1 millisecond')
  where one.course_id = round.course_id and one.course_offering_id is not null;
  return true;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
