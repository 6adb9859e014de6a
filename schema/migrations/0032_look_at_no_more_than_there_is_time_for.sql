set local check_function_bodies = off;
--> statement-breakpoint
-- Since when something is noted that is too much to be worked out while someone waits for a report, as after a bulk
-- load, or when an item is added to a course of many, which notes all their trees. Null for less. To find that out it
-- looks at no more than that either.
create or replace function behind_since() returns timestamptz language sql stable as $$
  select coalesce((select begun_at from scheduled_tasks where name = 'count'), to_timestamp(0))
  where exists (select from uncounted_events offset 500)
    or exists (select from uncounted_changes offset 100000)
    or exists (select from uncounted_trees offset 500)
    or exists (select distinct course_id from uncounted_courses offset 100)
    or exists (
      select from course_offerings as run cross join lateral (
        select from user_content_progress as posted where posted.course_offering_id = run.id
        union all
        select from user_module_progress as posted where posted.course_offering_id = run.id
      ) as posted
      where run.course_id in (select course_id from uncounted_courses) offset 20000)
    or exists (select from noted_trees() offset 500)
$$;
--> statement-breakpoint
-- Counts what is noted, as much of it as takes a few seconds; `is_behind` says that more is left. When nothing is, the
-- totals hold all that was noted before that moment. What a tree takes depends on its course: as many are looked at as
-- fit, since what takes longer than a statement may would never be done.
create or replace function count_new_totals(out new_events integer, out is_behind boolean) language plpgsql as $$
declare
  trees integer;
  changes integer;
  enough timestamptz;
begin
  perform lock_totals();
  enough := service_clock() + interval '5 seconds';
  select events.new_events, events.is_behind into new_events, is_behind from count_some_events() as events;
  perform count_courses();
  loop
    trees := count_trees(200);
    exit when trees < 200 or service_clock() > enough;
  end loop;
  changes := count_changes(100000);
  is_behind := is_behind or trees >= 200 or changes >= 100000;
  if not is_behind then
    insert into scheduled_tasks (name, begun_at) values ('count', service_now())
    on conflict (name) do update set begun_at = excluded.begun_at;
  end if;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
