set local check_function_bodies = off;
--> statement-breakpoint
drop trigger complete_by_items on user_content_progress;
--> statement-breakpoint
drop trigger note_stale_trees on content_items;
--> statement-breakpoint
drop trigger note_stale_trees on modules;
--> statement-breakpoint
drop function complete_by_items();
--> statement-breakpoint
CREATE TABLE "enrollment_progress" (
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"progress_percent" numeric(5, 2) NOT NULL,
	"completed_items" integer NOT NULL,
	CONSTRAINT "enrollment_progress_user_id_course_offering_id_pk" PRIMARY KEY("user_id","course_offering_id")
);
--> statement-breakpoint
CREATE TABLE "stale_outlines" (
	"course_id" integer NOT NULL,
	"includes_ended" boolean DEFAULT false NOT NULL,
	"course_offering_id" integer,
	"done_to" integer DEFAULT 0 NOT NULL,
	"looked_at" timestamp (3) with time zone
);
--> statement-breakpoint
-- What was kept of nobody yet is worked out by the schedule, of runs that are over too.
insert into stale_outlines (course_id, includes_ended) select distinct course_id, true from course_offerings;
--> statement-breakpoint
delete from stale_trees where user_id is null;
--> statement-breakpoint
ALTER TABLE "stale_trees" ALTER COLUMN "user_id" SET NOT NULL;
--> statement-breakpoint
ALTER TABLE "enrollment_progress" ADD CONSTRAINT "enrollment_progress_enrollments_fk" FOREIGN KEY ("user_id","course_offering_id") REFERENCES "public"."enrollments"("user_id","course_offering_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "stale_outlines_course_id_index" ON "stale_outlines" USING btree ("course_id");
--> statement-breakpoint
CREATE INDEX "modules_hidden_index" ON "modules" USING btree ("course_id") WHERE not "modules"."is_published";
--> statement-breakpoint
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
--> statement-breakpoint
-- The items of a course that count: active ones, in and below nothing but published modules. It looks for what is not
-- published and what is below that, which is little, however many modules there are beside it.
create or replace function counting_items(the_course integer)
returns table (item_id integer, module_id integer, by_result boolean) language sql stable as $$
  with recursive hidden (module_id) as (
    select m.id from modules as m where m.course_id = the_course and not m.is_published
    union
    select below.id from hidden join modules as below on below.parent_module_id = hidden.module_id
  )
  select item.id, item.module_id, completes_by_result(type.name)
  from content_items as item join content_types as type on type.id = item.content_type_id
  where item.course_id = the_course and item.is_active
    and not exists (select from hidden where hidden.module_id = item.module_id)
$$;
--> statement-breakpoint
-- Whether more came since than can be worked out while someone waits, as after a bulk load.
create or replace function is_behind() returns boolean language sql stable parallel safe as $$
  select exists (select from activity_events where occurred_at >= (select counted_until()) offset 100000)
    or exists (select from stale_trees offset 5000)
    or exists (select distinct course_offering_id, user_id from stale_trees offset 500)
$$;
--> statement-breakpoint
-- Whether people still learn in an offering: one that has ended is over, and one without an end never is.
create or replace function is_run_open(offering course_offerings) returns boolean language sql stable as $$
  select coalesce(offering.ends_at > service_now(), true)
$$;
--> statement-breakpoint
-- Works out how far these people are, and keeps it, of those who are enrolled.
create or replace function keep_progress(offering integer, people integer[]) returns void language plpgsql as $$
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
--> statement-breakpoint
-- Keeps how the trees of these people stand. One that is as it was is not written.
create or replace function keep_trees(offering integer, people integer[]) returns void language plpgsql as $$
begin
  lock table course_trees in share row exclusive mode;
  with tree as materialized (
    select * from trees_of(offering, people)
  ), gone as (
    delete from course_trees as kept
    where kept.course_offering_id = offering and kept.user_id = any (people)
      and kept.user_id not in (select tree.user_id from tree)
  )
  insert into course_trees as kept select * from tree
  on conflict (course_offering_id, user_id) do update
    set completed_on = excluded.completed_on, begun_on = excluded.begun_on, fresh_on = excluded.fresh_on
    where (kept.completed_on, kept.begun_on, kept.fresh_on)
      is distinct from (excluded.completed_on, excluded.begun_on, excluded.fresh_on);
end $$;
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
  select noted.course_id, bool_or(noted.includes_ended), 0, now() from noted group by noted.course_id;
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
      done_to = case when cardinality(people) < most then 0 else people[most] end, looked_at = clock_timestamp()
  where one.course_id = round.course_id and one.course_offering_id is not null;
  return true;
end $$;
--> statement-breakpoint
-- A run that was over and is open again has missed what was edited meanwhile.
create or replace function note_reopened_run() returns trigger language plpgsql as $$
begin
  if not is_run_open(old) and is_run_open(new) then
    insert into stale_outlines (course_id) values (new.course_id);
  end if;
  return null;
end $$;
--> statement-breakpoint
-- Notes the courses whose outline a statement has changed. Where nobody is enrolled or has begun there is nobody to look
-- at: who comes meanwhile has done nothing yet.
create or replace function note_stale_outlines() returns trigger language plpgsql as $$
declare
  edited integer[];
begin
  if tg_op = 'INSERT' then
    edited := array(select course_id from written);
  elsif tg_op = 'DELETE' then
    edited := array(select course_id from overwritten);
  elsif tg_table_name = 'modules' then
    edited := array(
      select present.course_id from written as present join overwritten as former using (id)
      where (present.is_published, present.parent_module_id)
        is distinct from (former.is_published, former.parent_module_id));
  else
    edited := array(
      select present.course_id from written as present join overwritten as former using (id)
      where (present.is_active, present.module_id, present.content_type_id)
        <> (former.is_active, former.module_id, former.content_type_id));
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
--> statement-breakpoint
create or replace function note_stale_trees() returns trigger language plpgsql as $$
begin
  insert into stale_trees (course_offering_id, user_id)
  values (coalesce(new.course_offering_id, old.course_offering_id), coalesce(new.user_id, old.user_id));
  return null;
end $$;
--> statement-breakpoint
-- How much of the whole course each of these people has done, from 0 to 100: the mean of all items that count; and how
-- many of those they have completed.
create or replace function progress_of(offering integer, people integer[])
returns table (user_id integer, progress_percent numeric, completed_items integer) language sql stable as $$
  with item as materialized (
    select counting.item_id, counting.by_result
    from course_offerings as run cross join lateral counting_items(run.course_id) as counting
    where run.id = offering
  ), total as materialized (
    select count(*) as items from item
  ), begun as materialized (
    select one.user_id, one.content_item_id, one.progress_percent, one.completed_at from user_content_progress as one
    where one.course_offering_id = offering and one.user_id = any (people)
  ), done as (
    select mine.user_id, sum(counted_percent(mine.progress_percent, mine.completed_at, item.by_result)) as percents,
           count(mine.completed_at)::integer as completed
    from begun as mine join item on item.item_id = mine.content_item_id
    group by mine.user_id
  )
  select person.id, coalesce(cut_percent(done.percents / nullif(total.items, 0)), 0), coalesce(done.completed, 0)
  from unnest(people) as person (id)
  cross join total
  left join done on done.user_id = person.id
$$;
--> statement-breakpoint
-- How far these people are in an offering, as it is kept of each, and when they last did anything there.
create or replace function progress_of_people(offering integer, people integer[])
returns table (user_id integer, progress_percent numeric, completed_items integer, last_activity_at timestamptz)
language sql stable as $$
  select person.id, coalesce(kept.progress_percent, own.progress_percent), coalesce(kept.completed_items, own.completed_items),
         last.moment
  from unnest(people) as person (id)
  left join enrollment_progress as kept on kept.user_id = person.id and kept.course_offering_id = offering
  left join progress_of(offering, array(
    select one from unnest(people) as one where not exists (
      select from enrollment_progress as kept where kept.user_id = one and kept.course_offering_id = offering)
  )) as own on own.user_id = person.id
  cross join lateral (
    select max(occurred_at) as moment from activity_events as event
    where event.course_offering_id = offering and event.user_id = person.id
  ) as last
$$;
--> statement-breakpoint
-- Looks at some of the stale trees anew; answers whether more are left. What is noted meanwhile stays on the list.
create or replace function refresh_trees(most integer) returns boolean language plpgsql as $$
declare
  offerings integer[];
  people integer[];
begin
  lock table course_trees in share row exclusive mode;
  with noted as (
    select distinct course_offering_id, user_id from (select * from stale_trees limit most) as stale
  ), taken as (
    delete from stale_trees as stale using noted
    where (stale.course_offering_id, stale.user_id) = (noted.course_offering_id, noted.user_id)
  )
  select array_agg(course_offering_id), array_agg(user_id) into offerings, people from noted;
  perform keep_trees(stale.offering, stale.people) from (
    select offering, array_agg(person) as people from unnest(offerings, people) as noted (offering, person)
    group by offering
  ) as stale;
  return exists (select from stale_trees);
end $$;
--> statement-breakpoint
-- What is done with an item changes how far its person is; and may be the last that their course waits for. Work completes
-- its item as of the day on which it was handed in, and the course when it is graded: what others have done meanwhile
-- comes before that, and a waiting list may be closed by then.
create or replace function take_progress() returns trigger language plpgsql as $$
begin
  perform keep_progress(new.course_offering_id, array[new.user_id]);
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
--> statement-breakpoint
-- How these people stand with the published modules of an offering's course; no row before they have begun one. A tree is
-- complete when all its items are, and what was posted of each module that has none in or below it. What they begin or
-- complete keeps it fresh for 14 days.
create or replace function trees_of(offering integer, people integer[]) returns setof course_trees
language sql stable as $$
  with recursive run as (
    select o.course_id from course_offerings as o where o.id = offering
  ), item as materialized (
    select counting.item_id, counting.module_id from run cross join lateral counting_items(run.course_id) as counting
  ), filled (module_id) as (
    select item.module_id from item
    union
    select m.parent_module_id from filled join modules as m on m.id = filled.module_id
    where m.parent_module_id is not null
  ), shown as (
    select m.id from run join modules as m using (course_id) where m.parent_module_id is null and m.is_published
    union all
    select below.id from shown join modules as below on below.parent_module_id = shown.id and below.is_published
  ), module as materialized (
    select shown.id, shown.id not in (select filled.module_id from filled) as is_needed from shown
  ), needed as materialized (
    select (select count(*) from item) + (select count(*) from module where module.is_needed) as parts
  ), part as (
    select mine.user_id, mine.first_started_at as started_at, mine.completed_at
    from user_content_progress as mine join item on item.item_id = mine.content_item_id
    where mine.course_offering_id = offering and mine.user_id = any (people)
    union all
    select posted.user_id, posted.started_at, case when module.is_needed then posted.completed_at end
    from user_module_progress as posted join module on module.id = posted.module_id
    where posted.course_offering_id = offering and posted.user_id = any (people)
  )
  select offering, part.user_id, run.course_id,
         case when count(part.completed_at) = 2 * needed.parts
              then max(step.day) filter (where part.completed_at is not null) end,
         utc_day(min(part.started_at)), range_agg(daterange(step.day, step.day + 14))
  from run, needed, part,
       lateral (values (utc_day(part.started_at)), (utc_day(greatest(part.started_at, part.completed_at)))) as step (day)
  group by part.user_id, run.course_id, needed.parts
$$;
--> statement-breakpoint
create or replace trigger begin_progress after insert on enrollments
  for each row execute function begin_progress();
--> statement-breakpoint
create or replace trigger note_reopened_run after update of ends_at on course_offerings
  for each row when (new.ends_at is distinct from old.ends_at) execute function note_reopened_run();
--> statement-breakpoint
create or replace trigger note_stale_outlines after insert on content_items
  referencing new table as written for each statement execute function note_stale_outlines();
--> statement-breakpoint
create or replace trigger note_stale_outlines after insert on modules
  referencing new table as written for each statement execute function note_stale_outlines();
--> statement-breakpoint
create or replace trigger note_stale_outlines_of_changed after update on content_items
  referencing old table as overwritten new table as written for each statement execute function note_stale_outlines();
--> statement-breakpoint
create or replace trigger note_stale_outlines_of_changed after update on modules
  referencing old table as overwritten new table as written for each statement execute function note_stale_outlines();
--> statement-breakpoint
create or replace trigger note_stale_outlines_of_gone after delete on content_items
  referencing old table as overwritten for each statement execute function note_stale_outlines();
--> statement-breakpoint
create or replace trigger note_stale_outlines_of_gone after delete on modules
  referencing old table as overwritten for each statement execute function note_stale_outlines();
--> statement-breakpoint
create or replace trigger take_later_progress after update of progress_percent, completed_at on user_content_progress
  for each row when (
    new.completed_at is not null
    or (new.progress_percent, new.completed_at) is distinct from (old.progress_percent, old.completed_at)
  ) execute function take_progress();
--> statement-breakpoint
-- An item that is begun, and no more, is none.
create or replace trigger take_progress after insert on user_content_progress
  for each row when (new.completed_at is not null or new.progress_percent > 0) execute function take_progress();
--> statement-breakpoint
-- How everyone stands now; or stood, where that is too much to be worked out while someone waits.
create or replace view trees as
  select * from course_trees as kept
  where case when (select is_behind()) then true else not exists (
    select from stale_trees as stale
    where (stale.course_offering_id, stale.user_id) = (kept.course_offering_id, kept.user_id)) end
  union all
  select tree.* from (
    select course_offering_id, array_agg(distinct user_id) as people from stale_trees group by course_offering_id
  ) as stale cross join lateral trees_of(stale.course_offering_id, stale.people) as tree
  where not (select is_behind());
--> statement-breakpoint
drop view stale_people;
--> statement-breakpoint
drop function tree_of(integer,integer);
--> statement-breakpoint
set local check_function_bodies = on;
