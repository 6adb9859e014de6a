set local check_function_bodies = off;
--> statement-breakpoint
DROP INDEX "activity_events_university_id_index";
--> statement-breakpoint
DROP INDEX "courses_department_id_index";
--> statement-breakpoint
DROP INDEX "course_offerings_university_id_index";
--> statement-breakpoint
DROP INDEX "users_created_at_index";
--> statement-breakpoint
DROP INDEX "enrollments_user_id_enrolled_at_id_index";
--> statement-breakpoint
CREATE INDEX "activity_events_university_id_occurred_at_index" ON "activity_events" USING btree ("university_id","occurred_at");
--> statement-breakpoint
CREATE INDEX "courses_department_id_id_index" ON "courses" USING btree ("department_id","id");
--> statement-breakpoint
CREATE INDEX "courses_unpublished_index" ON "courses" USING btree ("id") WHERE not "courses"."is_published";
--> statement-breakpoint
CREATE INDEX "courses_code_id_index" ON "courses" USING btree ("code","id");
--> statement-breakpoint
CREATE INDEX "course_offerings_university_id_id_index" ON "course_offerings" USING btree ("university_id","id");
--> statement-breakpoint
CREATE INDEX "course_offerings_starts_at_id_index" ON "course_offerings" USING btree ("starts_at","id");
--> statement-breakpoint
CREATE INDEX "course_offerings_university_id_starts_at_id_index" ON "course_offerings" USING btree ("university_id","starts_at","id");
--> statement-breakpoint
CREATE INDEX "course_offerings_enrollment_start_index" ON "course_offerings" USING btree ("enrollment_start");
--> statement-breakpoint
CREATE INDEX "course_offerings_enrollment_end_index" ON "course_offerings" USING btree ("enrollment_end");
--> statement-breakpoint
CREATE INDEX "user_university_roles_role_university_id_user_id_index" ON "user_university_roles" USING btree ("role","university_id","user_id");
--> statement-breakpoint
CREATE INDEX "users_created_at_id_index" ON "users" USING btree ("created_at","id");
--> statement-breakpoint
CREATE INDEX "users_inactive_index" ON "users" USING btree ("id") WHERE not "users"."is_active";
--> statement-breakpoint
CREATE INDEX "enrollments_user_id_enrolled_at_id_index" ON "enrollments" USING btree ("user_id","enrolled_at","id");
--> statement-breakpoint
-- Indexes for text anywhere within other text.
create extension if not exists pg_trgm;
--> statement-breakpoint
-- Text without its letter case and accents: "Søren MÜLLER" is "soren muller".
create or replace function folded(said text) returns text language sql immutable parallel safe
  return translate(
    lower(normalize(regexp_replace(normalize(said, nfd), '[\u0300-\u036f]', '', 'g'), nfc)), 'øłđħıß', 'oldhis');
--> statement-breakpoint
-- The active items that they have not completed, in modules that are published with all above them. `place` is an
-- item's way through the tree, so that the first by it is the next; it is due when it, or else the nearest module above
-- it that says so, is. `is_open`: neither it nor a module above it is locked at that moment. It starts from the items,
-- so that it costs what there is to do, however large the tree is.
create or replace function items_to_do(offering integer, person integer, moment timestamptz)
returns table (item_id integer, module_id integer, place integer[], due_at timestamptz, is_open boolean)
language sql stable as $$
  with recursive left_over as materialized (
    select item.id, item.module_id, item.sequence_index, item.due_at, item.available_from, item.course_id
    from course_offerings as run
    join courses as course on course.id = run.course_id and course.is_published
    join content_items as item on item.course_id = run.course_id and item.is_active
    where run.id = offering and not exists (
      select from user_content_progress as mine
      where mine.user_id = person and mine.course_offering_id = run.id and mine.content_item_id = item.id
        and mine.completed_at is not null
    )
  ), way (module_id, parent_module_id, place, due_at, available_from, required) as (
    select m.id, m.parent_module_id, array[m.sequence_index], m.due_at, m.available_from, m.requires_module_ids
    from (select distinct left_over.module_id from left_over) as own
    cross join lateral (select one.* from modules as one where one.id = own.module_id offset 0) as m
    where m.is_published
    union all
    select way.module_id, above.parent_module_id, above.sequence_index || way.place,
           coalesce(way.due_at, above.due_at), greatest(way.available_from, above.available_from),
           way.required || above.requires_module_ids
    from way
    cross join lateral (select one.* from modules as one where one.id = way.parent_module_id offset 0) as above
    where above.is_published
  ), whole as materialized (
    select * from way where way.parent_module_id is null
  ), asked (course_id, unmet) as materialized (
    select run.course_id, case when exists (select from whole where whole.required <> '{}')
      then unmet_modules(person, run.course_id, array(select distinct unnest(whole.required) from whole)) else '{}' end
    from course_offerings as run where run.id = offering
  )
  select left_over.id, left_over.module_id, whole.place || left_over.sequence_index,
         coalesce(left_over.due_at, whole.due_at),
         not coalesce(greatest(left_over.available_from, whole.available_from) > moment, false)
           and not whole.required && asked.unmet
  from left_over join whole on whole.module_id = left_over.module_id cross join asked
$$;
--> statement-breakpoint
-- How far these people are in an offering: what `course_progress` says of each, of many at once, how many of the items
-- that count they have completed, and when they last did anything there.
create or replace function progress_of_people(offering integer, people integer[])
returns table (user_id integer, progress_percent numeric, completed_items integer, last_activity_at timestamptz)
language sql stable as $$
  with item as materialized (
    select counting.* from course_offerings as run cross join lateral counting_items(run.course_id) as counting
    where run.id = offering
  ), total as materialized (
    select count(*) as items from item
  ), done as (
    select mine.user_id, sum(counted_percent(mine.progress_percent, mine.completed_at, item.by_result)) as percents,
           count(mine.completed_at)::integer as completed
    from user_content_progress as mine join item on item.item_id = mine.content_item_id
    where mine.course_offering_id = offering and mine.user_id = any (people)
    group by mine.user_id
  )
  select person.id, coalesce(cut_percent(done.percents / nullif(total.items, 0)), 0), coalesce(done.completed, 0), last.moment
  from unnest(people) as person (id)
  cross join total
  left join done on done.user_id = person.id
  cross join lateral (
    select max(occurred_at) as moment from activity_events as event
    where event.course_offering_id = offering and event.user_id = person.id
  ) as last
$$;
--> statement-breakpoint
-- The words of a text, folded, with one space for what is between them and one at the beginning: " ee 101 signals".
create or replace function searched(said text) returns text language sql immutable parallel safe
  return regexp_replace(' ' || folded(said), '[\s!-/:-@\[-`{-~´’]+', ' ', 'g');
--> statement-breakpoint
ALTER TABLE "courses" ADD COLUMN "search_text" text GENERATED ALWAYS AS (searched(title || ' ' || code)) STORED;
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "search_text" text GENERATED ALWAYS AS (searched(full_name || ' ' || email)) STORED;
--> statement-breakpoint
CREATE INDEX "courses_search_index" ON "courses" USING gin ("search_text" gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX "courses_search_text_id_index" ON "courses" USING btree ("search_text","id");
--> statement-breakpoint
CREATE INDEX "courses_university_id_search_text_id_index" ON "courses" USING btree ("university_id","search_text","id");
--> statement-breakpoint
CREATE INDEX "users_search_index" ON "users" USING gin ("search_text" gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX "users_search_text_id_index" ON "users" USING btree ("search_text","id");
--> statement-breakpoint
CREATE INDEX "users_name_index" ON "users" USING btree (folded("full_name"));
--> statement-breakpoint
-- What `searched` text is like that has these words next to each other. It stands anywhere, also within a word; one
-- or two characters, which no index could find there, stand at the beginning of a word.
create or replace function search_pattern(words text) returns text language sql immutable parallel safe
  return case when length(btrim(searched(words))) < 3 then '% ' else '%' end || btrim(searched(words)) || '%';
--> statement-breakpoint
set local check_function_bodies = on;
